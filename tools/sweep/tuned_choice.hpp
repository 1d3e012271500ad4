#pragma once

#include <string>
#include <vector>

#include "runtime/settings/sweep_tuning.hpp"
#include "tools/sweep/sweep_rows.hpp"

namespace hearsay {

/// The choice of a variant at one place, and what has to be said about it.
struct TunedChoice {
  TunedValues values;
  std::string reservation;  ///< a sentence if no candidate did what it was chosen for; else empty
};

/// Returns for every variant and place of `sweep` the best of its candidates, which `rows` of `tuning` (see
/// tuning_of) have tried. Empty for those of which no candidate was tried.
///
/// If the run has a target loss, the best is the one that reached it with the most tuning seeds, of these the
/// one with the least mean seconds to it, and of these the one with the least mean loss. If there is no
/// target, or no candidate reached it, the best has come to its end with the most seeds, and of these it has
/// the least mean loss. Of equals the first wins.
std::vector<TunedChoice> tuned_choices(const Sweep& sweep, const Sweep& tuning,
                                       const std::vector<SweepRow>& rows);

}  // namespace hearsay

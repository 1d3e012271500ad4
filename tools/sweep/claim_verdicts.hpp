#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/sweep/sweep_rows.hpp"

namespace hearsay {

/// Whether a claim holds. A claim with a variant that has not been run, with all seeds and at all places, is
/// neither true nor false.
enum class Verdict { holds, fails, not_tried };

/// What became of one claim.
struct ClaimVerdict {
  const SweepClaim* claim;
  Verdict verdict;
  /// Of every place a line: "topology.kind = ring: DCD 0.31 < 0.5". Numbers that differ look different.
  std::vector<std::string> measured;
};

/// Returns the verdict on every claim of the sweep, in their order. With repeats a figure is the mean over
/// the seeds. A loss of a run that diverged is infinite, and so are its seconds to a target that it missed.
std::vector<ClaimVerdict> verdicts_on(const Sweep& sweep, const std::vector<SweepRow>& rows);

/// Returns what is said below the table: each claim, whether it holds, and what was measured.
std::string text_of(const std::vector<ClaimVerdict>& verdicts);

/// Returns what is said below the claims: sweep.not_reproduced. Empty if the sweep has none.
std::string not_reproduced_text(const Sweep& sweep);

/// Returns the verdicts as they stand in sweep.json: [{"says", "holds", "figure", "minus", "of", "at",
/// "bounds", "measured"}, ..]. "holds" is null if the claim was not tried; "of" are the words for figure and
/// minus; "bounds" are the numbers among the terms.
nlohmann::ordered_json record_of(const std::vector<ClaimVerdict>& verdicts);

}  // namespace hearsay

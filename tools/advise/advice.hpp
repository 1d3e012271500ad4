#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "runtime/settings/run_settings.hpp"
#include "tools/advise/prospect.hpp"

namespace hearsay {

struct RankedAdvice {
  double target_loss = 0.0;
  bool target_is_yours = true;    ///< run.target_loss; false: the final loss of the user's run
  Duration measured_gradient{0};  ///< on this machine; 0 if network.compute says how long a gradient takes
  Prospect yours;
  /// The candidates that reach the target, the quickest first; `yours` is among them if it does.
  std::vector<Prospect> ranked;
  std::vector<Prospect> left_out;  ///< all other candidates
  bool interrupted = false;
};

struct AdviceControl {
  std::function<bool()> interrupted = [] { return false; };  ///< called by several threads
  /// Real time for all probes, and once more for a winner that was extrapolated.
  std::chrono::nanoseconds patience = std::chrono::minutes(1);
  /// Called by one thread at a time.
  std::function<void(const std::string&)> progress = [](const std::string&) {};
};

/// Number of candidates that are printed. Only their order has to be right.
inline constexpr std::size_t advised = 5;

/// Predicts how long the user's own run, and each candidate of candidates.hpp, take to the target loss on the
/// emulated network.
///
/// First a dry run times one iteration of each candidate (contenders.hpp). Then the candidates are trained
/// in virtual time, the most promising first. A training ends if the candidate is at the target, has fallen
/// behind the fifth best, has taken ten times the iterations of the user's run, or has used its share of the
/// patience; in the last two cases the rest is extrapolated (loss_tail.hpp). A winner that was extrapolated
/// is trained to the target at the end. A candidate is not trained if its iterations are so long that it
/// would not be among the five even with as few of them as all-reduce needs, which averages exactly;
/// bandwidths that change with time exclude this shortcut. The step size is that of the user; if a method
/// diverges with it, a half, a quarter or an eighth of it.
///
/// Several candidates are trained at once. So it may change from call to call which of the others are left
/// out, and why; the five do not change unless time runs out.
///
/// Throws Misuse if the user's own run is not valid, or if no candidate reaches the target.
template <class Scalar>
RankedAdvice advise(const RunSettings& yours, const AdviceControl& control);

}  // namespace hearsay

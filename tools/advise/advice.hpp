#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "runtime/settings/run_settings.hpp"
#include "tools/advise/prospect.hpp"

namespace hearsay {

struct Advice {
  double target_loss = 0.0;
  bool target_is_yours = true;    ///< run.target_loss; else what the user's own run comes to
  Duration measured_gradient{0};  ///< on this machine; 0 where network.compute says what a gradient takes
  Prospect yours;
  std::vector<Prospect> ranked;    ///< those that promise, the quickest first; yours among them, if it does
  std::vector<Prospect> left_out;  ///< the others
  bool interrupted = false;
};

struct AdviceControl {
  std::function<bool()> interrupted = [] { return false; };     ///< called by several threads
  std::chrono::nanoseconds patience = std::chrono::minutes(1);  ///< real time for all probes
  std::function<void(const std::string&)> progress = [](const std::string&) {};  ///< by one at a time
};

/// So many are printed, and need to be right.
inline constexpr std::size_t advised = 5;

/// Predicts how long the user's choice and all that may be tried instead of it (candidates.hpp) take to the
/// target loss on the emulated network. First the time of an iteration (contenders.hpp); then, in that order,
/// each is trained in virtual time until it is at the target, or has fallen behind the fifth best, or has had
/// its share of the patience: then the rest is extrapolated (loss_tail.hpp). One whose iterations are so long
/// that it would not be among the five even if it needed no more of them than all-reduce, which averages
/// exactly, is not trained (unless bandwidths change with time). Steps are as long as the user's, or, where a
/// method diverges with them, half, a quarter or an eighth of that. Candidates are tried side by side: who of
/// the others is left out, and why, may differ from time to time; the five do not, unless time ran out.
///
/// Throws Misuse where the user's own run cannot be, or nobody gets to the target.
template <class Scalar>
Advice advise(const RunSettings& yours, const AdviceControl& control);

}  // namespace hearsay

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/run_settings.hpp"
#include "runtime/units.hpp"

namespace hearsay {

/// What became of a candidate.
enum class Fate {
  reached,   ///< the target, in the simulator
  in_sight,  ///< the target is extrapolated
  slower,    ///< it was above the target still when the fifth best had reached it
  bounded,   ///< not tried: even in as few iterations as any of its kind it takes longer than the fifth best
  apart,     ///< the mean of the models is at the target, but they are hardly one model
  levels_off,  ///< above the target
  diverges,    ///< with shorter steps, too
  refused,     ///< it is unsound, or does not fit
  untold,      ///< no time was left to try it, or not long enough to extrapolate
};

std::string to_text(Fate fate);

/// A method with its compressor on a topology, and what is predicted of it.
struct Prospect {
  RunSettings settings;  ///< of the run, resolved
  Fate fate = Fate::untold;
  std::string why = {};          ///< a part of a sentence, where it is not promising
  std::uint64_t tried = 0;       ///< iterations that were simulated
  std::uint64_t run_length = 0;  ///< run.iterations, or those of run.epochs
  std::uint64_t iterations = 0;  ///< to the target; the rest, too, is where the target is reached or in sight
  double seconds = 0.0;
  double bytes_per_peer = 0.0;
  double consensus_distance =
      0.0;  ///< there; of the last iteration that was simulated, where the rest is extrapolated
  std::vector<std::string> warnings = {};

  bool promises() const { return fate == Fate::reached || fate == Fate::in_sight; }
};

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

/// Predicts how long the user's choice and all that may be tried instead of it (candidates.hpp) take to the target loss on the
/// emulated network. First the time and bytes of an iteration, with gradients that cost nothing (dry_run.hpp); then, in that
/// order, each is trained in virtual time until it is at the target, or has fallen behind the fifth best, or has had its share
/// of the patience: then the rest is extrapolated (loss_tail.hpp). One whose iterations are so long that it would not be among the
/// five even if it needed no more of them than all-reduce, which averages exactly, is not trained (unless bandwidths change with
/// time). Candidates are tried side by side: who of the others is left out, and why, may differ from time to time, the five do not
/// unless time ran out. Steps are as long as the
/// user's, or, where a method diverges with them, half, a quarter or an eighth of that. Since a loss is that of the models' mean, those
/// count only whose models are nearer to it (rms) than a quarter of the way that it has come. Throws Misuse where the user's own run
/// cannot be, or nobody gets to the target.
template <class Scalar>
Advice advise(const RunSettings& yours, const AdviceControl& control);

}  // namespace hearsay

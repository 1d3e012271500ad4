#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/settings/run_settings.hpp"
#include "tools/advise/probe.hpp"

namespace hearsay {

/// What became of a candidate.
enum class Fate {
  reached,     ///< the target, in the simulator
  in_sight,    ///< the target is extrapolated
  slower,      ///< it was above the target still when the fifth best had reached it
  bounded,     ///< not tried: even in as few iterations as all-reduce it would not be among the five
  apart,       ///< the mean of the models is at the target, but they are hardly one model
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
      0.0;  ///< there; where it is extrapolated, after the last iteration that was simulated
  std::vector<std::string> warnings = {};

  bool promises() const { return fate == Fate::reached || fate == Fate::in_sight; }
  void leave_out(Fate of, std::string because);
};

/// What a probe says of it: figures, where it got to the target or is seen to get there, else the fate. Where
/// the rest is extrapolated, an iteration goes on taking as long, and as many bytes, as in the second half of
/// those that were tried; nothing is said of more than ten times as many.
void judge(Prospect& prospect, const Probe& probe, double target_loss);

/// Leaves out one that promises, but whose models are farther from their mean (rms) than a quarter of the way
/// that it has come: the loss at the target is of that mean.
void require_one_model(Prospect& prospect, const Probe& probe);

}  // namespace hearsay

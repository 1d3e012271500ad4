#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/settings/run_settings.hpp"
#include "tools/advise/probe.hpp"

namespace hearsay {

/// What the search found out about a candidate.
enum class Fate {
  reached,     ///< the target, in the simulator
  in_sight,    ///< the target is extrapolated
  slower,      ///< still above the target when the fifth best had reached it
  bounded,     ///< not tried: even with as few iterations as all-reduce it would not be among the five
  apart,       ///< the mean model is at the target, but the models differ too much from each other
  levels_off,  ///< above the target, or falls too slowly to tell when it is there
  diverges,    ///< also with the shortest steps that were tried
  refused,     ///< unsound, or not valid
  untold,      ///< there was no time to try it, or too few iterations to extrapolate
};

std::string to_text(Fate fate);

/// A method with its compressor on a topology, and what is predicted for it.
struct Prospect {
  RunSettings settings;  ///< of the run, resolved
  Fate fate = Fate::untold;
  std::string why = {};                       ///< part of a sentence: why it is not promising
  std::uint64_t tried = 0;                    ///< iterations that were simulated
  double tried_seconds = 0.0;                 ///< virtual seconds that they took
  std::optional<double> hub_port_share = {};  ///< see DryRun
  std::uint64_t run_length = 0;               ///< run.iterations, or those of run.epochs
  /// Iterations to the target. This field and those below are set if the target is reached or in sight.
  std::uint64_t iterations = 0;
  std::uint64_t soonest = 0;  ///< if extrapolated, the range of `iterations`: see LossOutlook
  std::uint64_t latest = 0;
  double seconds = 0.0;
  double bytes_per_peer = 0.0;
  double consensus_distance = 0.0;  ///< at the target; if extrapolated, after the last simulated iteration
  std::vector<std::string> warnings = {};

  bool promises() const { return fate == Fate::reached || fate == Fate::in_sight; }
  void leave_out(Fate of, std::string because);
};

/// Judges a candidate by its probe. If the target was reached or is in sight, fills in the figures, else sets
/// the fate. An extrapolation assumes that an iteration takes as long, and as many bytes, as in the second
/// half of the probe. A target that would take more than ten times the iterations of the probe is not in
/// sight.
void judge(Prospect& prospect, const Probe& probe, double target_loss);

/// Leaves out a promising candidate if the distance of its models from their mean (rms) exceeds a quarter of
/// the distance between the mean and the initial model. The loss at the target is that of the mean, which
/// would then represent no peer. With a hub it is that of the hub's model, and no candidate is left out.
void require_one_model(Prospect& prospect, const Probe& probe);

}  // namespace hearsay

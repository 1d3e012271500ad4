#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/record/outcome.hpp"

namespace hearsay {

/// How long a candidate is tried. The first limit that is reached ends the probe.
struct ProbeLimits {
  double target_loss;
  double virtual_seconds;                           ///< after this time the candidate is too slow
  std::function<bool()> out_of_time;                ///< by the real clock
  std::function<bool()> interrupted;                ///< by the user
  std::function<void(const Evaluation&)> progress;  ///< called with every evaluation
};

/// What the first iterations of a run in virtual time gave.
struct Probe {
  enum class End {
    reached,      ///< the target
    slower,       ///< than the limit of virtual time
    out_of_time,  ///< by the real clock
    ended,        ///< all iterations
    diverged,     ///< or the loss exceeds ten times that of the start
    interrupted,
  } end = End::ended;
  std::vector<Evaluation> evaluations;  ///< from iteration 0 on
  double moved = 0.0;                   ///< distance of the mean (or the hub's) model from the initial one
};

/// Trains the experiment in the simulator until a limit is reached. The evaluations equal those of
/// `simulate`, to the last digit.
template <class Scalar>
Probe probe(const Experiment<Scalar>& experiment, const ProbeLimits& limits);

}  // namespace hearsay

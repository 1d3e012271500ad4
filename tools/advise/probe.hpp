#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/record/outcome.hpp"

namespace hearsay {

/// How long a candidate is tried. The first limit that is met ends it.
struct ProbeLimits {
  double target_loss;
  double virtual_seconds;                           ///< it has lost, then
  std::function<bool()> out_of_time;                ///< by the real clock
  std::function<bool()> interrupted;                ///< by the user
  std::function<void(const Evaluation&)> progress;  ///< called with every evaluation
};

/// The first iterations of a run in virtual time.
struct Probe {
  enum class End {
    reached,      ///< the target
    slower,       ///< than the limit of virtual time
    out_of_time,  ///< by the real clock
    ended,        ///< all iterations
    diverged,     ///< or got ten times the loss of the start
    interrupted,
  } end = End::ended;
  std::vector<Evaluation> evaluations;  ///< from iteration 0 on
  std::uint64_t run_length = 0;         ///< iterations of the whole run
  double moved = 0.0;                   ///< how far the mean model is from where it began
};

/// The evaluations are those that `simulate` makes of the same experiment, to the last digit.
template <class Scalar>
Probe probe(const Experiment<Scalar>& experiment, const ProbeLimits& limits);

}  // namespace hearsay

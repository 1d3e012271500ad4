#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/experiment/experiment.hpp"
#include "runtime/record/outcome.hpp"

namespace hearsay {

/// What the first iterations of a run cost, tried out in the simulator.
struct TriedIterations {
  Evaluation before, last;         ///< their second half lies in between
  double cpu_per_iteration = 0.0;  ///< seconds of a core, all peers together
  double cpu_per_evaluation = 0.0;
};

/// Returns how many losses of one peer's data an evaluation computes.
std::size_t losses_per_evaluation(RunSettings::Run::Evaluate whose, std::size_t peers);

/// Returns the least CPU seconds that try_iterations would take, by what the gradients of the run have taken.
double seconds_to_try(const RunResult& measured);

/// Simulates the first iterations of a run, within `patience` of real time, without evaluating the model. The
/// time of a gradient is the least CPU time of a few: what else runs on the machine does not count. Empty if
/// the patience does not suffice, or if the iterations end badly.
template <class Scalar>
std::optional<TriedIterations> try_iterations(Experiment<Scalar>& experiment, Duration patience);

/// Returns the seconds that a run of processes would have taken on `cores` cores with nothing else to do:
/// those of its emulated network and its gradients, or the work of all peers divided by the cores if that is
/// more, and the time of the sockets. Empty if its iterations are not alike, so that the first ones do not
/// tell the time of the others.
std::optional<double> expected_seconds(const RunResult& measured, const TriedIterations& tried,
                                       unsigned cores);

/// True if an iteration of this run does not depend on chance or on the time of day: the method is
/// synchronous, evaluations are free, no faults happen, and the network has neither jitter, losses, random
/// computing times nor a bandwidth trace.
bool repeats_its_iterations(const RunSettings& settings, const MethodInfo& method);

/// Returns the words about a run that took longer than expected: "2.8 times as long as the 4.82 s predicted:
/// this machine was busy". Empty if the time is normal.
std::string slowness_text(double measured_seconds, double expected_seconds);

}  // namespace hearsay

#pragma once

#include <limits>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/peer/work_trace.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/run_control.hpp"

namespace hearsay {

// The network does not change what the peers of a synchronous method learn (law: schedule independence), only
// when. So a run is simulated once. A trace records what every peer asks for in every iteration: gradients,
// messages of so many bytes, waits. The trace is then played on any other network: by the same simulator,
// with the same peers, links and meters, but without arithmetic.

/// A simulated run, with the traces of its peers.
template <class Scalar>
struct TracedRun {
  RunOutcome<Scalar> outcome;
  std::vector<WorkTrace> traces;  ///< by peer
};

/// The same as `simulate`, but records the traces.
template <class Scalar>
TracedRun<Scalar> simulate_traced(const Experiment<Scalar>& experiment, Duration measured_gradient,
                                  const RunControl& control = {});

inline constexpr std::uint64_t played_to_the_end = std::numeric_limits<std::uint64_t>::max();

/// Plays traces, by peer, on the emulated network of `settings`, without arithmetic: the outcome has times
/// and bytes, and knows nothing of models. The run stops after the verdict on the evaluation of iteration
/// `stops_after`.
template <class Scalar>
RunOutcome<Scalar> play(const Experiment<Scalar>& experiment, const std::vector<WorkTrace>& traces,
                        const RunSettings& settings, Duration measured_gradient = Duration{0},
                        std::uint64_t stops_after = played_to_the_end);

/// True if the run would take the same steps on other networks: the method is synchronous, and the run came
/// to its end (done, at its target, or at a plateau).
template <class Scalar>
bool may_be_retimed(const Experiment<Scalar>& experiment, const TracedRun<Scalar>& traced);

/// Returns the outcome of the same run on the emulated network of `settings` ([network], and the networks of
/// peers and links). It equals the outcome of `simulate` except for peak memory. `experiment` is the one that
/// was given to `simulate_traced`. May be called by several threads at once.
template <class Scalar>
RunOutcome<Scalar> retime(const Experiment<Scalar>& experiment, const TracedRun<Scalar>& traced,
                          const RunSettings& settings, Duration measured_gradient);

}  // namespace hearsay

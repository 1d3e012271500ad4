#pragma once

#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/peer/script.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/run_control.hpp"

namespace hearsay {

// What the peers of a synchronous method learn does not depend on the network (law: schedule independence);
// only when they learn it does. So a run is learned once, with a script of what every peer asked for in every
// iteration (gradients, messages of so many bytes, waits). The script is then played again on any other
// network: by the same simulator, with the same peers, links and meters, but without arithmetic.

/// A run in virtual time, with the scripts of what its peers did.
template <class Scalar>
struct LearnedRun {
  RunOutcome<Scalar> outcome;
  std::vector<PeerScript> scripts;  ///< by peer
};

/// `simulate`, with the scripts recorded.
template <class Scalar>
LearnedRun<Scalar> learn(const Experiment<Scalar>& experiment, Duration measured_gradient,
                         const RunControl& control = {});

/// True if the run would be the same on other networks: the method is synchronous, and the run came to its
/// end.
template <class Scalar>
bool may_be_retimed(const Experiment<Scalar>& experiment, const LearnedRun<Scalar>& learned);

/// The outcome of the same run on the emulated network of `settings` ([network], and the networks of peers
/// and links): equal to that of `simulate` in all but peak memory. `experiment` is the one that was learned.
/// May be called by several threads at once.
template <class Scalar>
RunOutcome<Scalar> retime(const Experiment<Scalar>& experiment, const LearnedRun<Scalar>& learned,
                          const RunSettings& settings, Duration measured_gradient);

}  // namespace hearsay

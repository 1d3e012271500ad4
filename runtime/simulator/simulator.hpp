#pragma once

#include <functional>

#include "runtime/experiment/experiment.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/run_control.hpp"

namespace hearsay {

/// Runs all peers of an experiment in this process, in virtual time: a priority queue of events (a frame is
/// due, a frame is released, a gradient is ready, a verdict is given), ties broken by the order of
/// scheduling. Peers, links and observer are those of the ZeroMQ driver, so a synchronous method ends with
/// the same bits on both.
///
/// `measured_gradient` is how long a gradient takes if `network.compute` is "measured": the caller measures
/// it, since the simulator has no clock. Everything else (encoding, mixing, evaluation) takes no virtual
/// time.
template <class Scalar>
RunOutcome<Scalar> simulate(const Experiment<Scalar>& experiment, Duration measured_gradient,
                            const RunControl& control = {});

/// `simulate` with peers that the caller makes.
template <class Scalar>
using MakePeer = std::function<std::unique_ptr<Peer<Scalar>>(PeerId, PacketPool&)>;
template <class Scalar>
RunOutcome<Scalar> simulate(const Experiment<Scalar>& experiment, const MakePeer<Scalar>& make,
                            Duration measured_gradient, const RunControl& control);

}  // namespace hearsay

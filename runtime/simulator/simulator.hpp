#pragma once

#include <functional>

#include "runtime/experiment/experiment.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/run_control.hpp"

namespace hearsay {

/// Runs all peers of an experiment in this process, in virtual time: a priority queue of events (a frame is due, a frame
/// is released, a gradient is ready, a verdict is given), ties broken by the order of scheduling. Peers, links and
/// observer are the ones the ZeroMQ driver uses, so a synchronous method ends with the same bits on both.
///
/// `measured_gradient` is what a gradient takes where `network.compute` is "measured": the simulator knows no clock, its
/// caller does. Everything else (encoding, mixing, evaluation) takes no virtual time.
template <class Scalar>
RunOutcome<Scalar> simulate(const Experiment<Scalar>& experiment, Duration measured_gradient,
                            const RunControl& control = {});

/// The same with peers that the caller makes.
template <class Scalar>
using MakePeer = std::function<std::unique_ptr<Peer<Scalar>>(PeerId, PacketPool&)>;
template <class Scalar>
RunOutcome<Scalar> simulate(const Experiment<Scalar>& experiment, const MakePeer<Scalar>& make,
                            Duration measured_gradient, const RunControl& control);

}  // namespace hearsay

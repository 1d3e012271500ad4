#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "runtime/experiment/experiment.hpp"
#include "runtime/observer/evaluation_frame_bytes.hpp"
#include "runtime/peer/peer.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/run_control.hpp"

namespace hearsay {

/// Runs all peers of an experiment in this process, in virtual time. A priority queue holds the events (a
/// frame is due, a frame is released, a gradient is ready, a verdict is given); ties are broken by the order
/// of scheduling. Peers, links and observer are those of real runs, so a synchronous method ends with the
/// same bits. Under network.evaluations = "shaped" the frames of evaluations are frames in flight, too
/// (evaluation_traffic.hpp), and the run ends when the last evaluation is made.
///
/// `measured_gradient` is how long a gradient takes if `network.compute` is "measured": the simulator has no
/// clock, so the caller measures it. Everything else (encoding, mixing, evaluation) takes no virtual time.
///
/// The threads of `control.crew` compute side by side what peers do at the same instant, and evaluations. The
/// outcome is the same with any number of them. A run with faults has one thread.
template <class Scalar>
RunOutcome<Scalar> simulate(const Experiment<Scalar>& experiment, Duration measured_gradient,
                            const RunControl& control = {});

/// What peers that only play a run (retiming.hpp) leave out of its evaluations.
struct Playback {
  EvaluationFrameBytes bytes;                                             ///< of the run
  std::uint64_t stops_after = std::numeric_limits<std::uint64_t>::max();  ///< whose verdict was to stop
};

/// The same, with peers that the caller makes. Each thread of `control.crew` makes some of them.
template <class Scalar>
using MakePeer = std::function<std::unique_ptr<Peer<Scalar>>(PeerId, PacketPool&)>;
template <class Scalar>
RunOutcome<Scalar> simulate(const Experiment<Scalar>& experiment, const MakePeer<Scalar>& make,
                            Duration measured_gradient, const RunControl& control,
                            const std::optional<Playback>& playback = {});

}  // namespace hearsay

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"
#include "runtime/network/link.hpp"
#include "runtime/observer/evaluation_frame_bytes.hpp"
#include "runtime/observer/observer.hpp"
#include "runtime/peer/peer_state.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/own_evaluation.hpp"
#include "runtime/simulator/flight.hpp"

namespace hearsay {

/// A frame between a peer and the observer.
template <class Scalar>
struct EvaluationFrame {
  FrameKind kind = FrameKind::evaluation;  ///< evaluation, question, answer or verdict
  PeerId peer = 0;                         ///< at the other end
  Verdict verdict{};  ///< all but an evaluation: what is said of it, or will be once the answers have come
  std::uint64_t iteration = 0;            ///< of an evaluation
  Vector<Scalar> model = {};              ///< of an evaluation; empty if the peer judges its own model
  std::optional<OwnEvaluation> own = {};  ///< if so
  PeerMeters meters = {};                 ///< of an evaluation

  /// Gives an evaluation to the observer, with the model and the meters themselves. Returns the verdict, if
  /// it is the last one.
  std::optional<Verdict> hand_to(Observer<Scalar>& observer) {
    return own ? observer.take_own(peer, iteration, *own, std::move(meters))
               : observer.take(peer, iteration, std::move(model), std::move(meters));
  }
};

/// Returns the evaluation that a peer sends now: its model, or what it says of it. Throws what the objective
/// throws.
template <class Scalar>
EvaluationFrame<Scalar> report_of(const Experiment<Scalar>& experiment, const Peer<Scalar>& peer,
                                  const PeerMeters& meters);

/// The frames of evaluations on the simulated network (network.evaluations = "shaped"): the port of the
/// observer, its links, and what is in flight. They share the ports of the peers with the messages of the
/// method.
template <class Scalar>
class EvaluationTraffic {
 public:
  EvaluationTraffic(const RunSettings& settings, PeerId peer_count, EvaluationFrameBytes bytes);

  struct Way {
    std::uint32_t place;  ///< of the frame among those in flight
    Instant due;          ///< when its last byte reaches the port of the receiver
  };
  /// A frame of a peer passes `port`, the peer's, on its way to the observer. Returns when it is due. Peers
  /// that do so at the same time, in threads of their own, are not in each other's way.
  Instant pass(Instant now, EgressPort& port, const EvaluationFrame<Scalar>& frame) {
    return port.send(now, bytes_.of(frame.kind), peers_[frame.peer].up).due;
  }
  /// Returns the place of such a frame among those in flight.
  std::uint32_t add(EvaluationFrame<Scalar> frame) { return in_flight_.add(std::move(frame)); }
  /// Sends a frame of the observer to a peer.
  Way send_down(Instant now, EvaluationFrame<Scalar> frame);

  /// The frame is due now. Returns when the receiver has it; `port` is the port of the peer.
  Instant arrive(std::uint32_t place, Instant now, IngressPort& port);
  /// The receiver has the frame.
  EvaluationFrame<Scalar> take(std::uint32_t place) { return in_flight_.take(place); }

  bool asks_peers() const { return bytes_.asks_peers(); }
  /// An answer on the evaluation at `iteration` has come. True if it is the last one.
  bool is_last_answer(std::uint64_t iteration);

 private:
  struct PeerWays {
    Link up;
    ArrivalRate arrival;  // at the observer
    Link down;
  };

  EvaluationFrameBytes bytes_;
  EgressPort egress_;
  IngressPort ingress_;
  ArrivalRate from_observer_;
  std::vector<PeerWays> peers_;
  Flight<EvaluationFrame<Scalar>> in_flight_;
  std::map<std::uint64_t, std::size_t> answers_;  // how many have come, by evaluation; while some are missing
};

}  // namespace hearsay

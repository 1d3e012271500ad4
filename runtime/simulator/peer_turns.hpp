#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/experiment/experiment.hpp"
#include "runtime/foundation/announced.hpp"
#include "runtime/simulator/aftermath.hpp"
#include "runtime/simulator/evaluation_traffic.hpp"
#include "runtime/simulator/event_queue.hpp"
#include "runtime/simulator/flight.hpp"
#include "runtime/simulator/simulated_peer.hpp"

namespace hearsay {

/// Returns the sentence on the objective of a peer that has thrown `what` in an evaluation.
inline std::string failure_in_evaluation(PeerId peer, std::uint64_t iteration, const std::string& what) {
  return "peer " + std::to_string(peer) + ": its objective failed in the evaluation of iteration " +
         std::to_string(iteration) + ": " + what;
}

/// Does what a peer asks for in its turn, until the peer must wait. A turn changes its peer only, and the
/// frames that arrive there. What else follows from it is kept in the aftermath. So peers may take turns of
/// the same instant side by side, each thread with an object of this class of its own.
template <class Scalar>
class PeerTurns {
 public:
  /// All of it must outlive this object.
  struct Surroundings {
    const Experiment<Scalar>& experiment;
    Duration measured_gradient;
    Flight<InFlight>& in_flight;
    std::optional<EvaluationTraffic<Scalar>>& traffic;  ///< if the network shapes evaluations
  };
  explicit PeerTurns(const Surroundings& surroundings) : around_(surroundings) {}

  /// Begins turn number `turn`, at `now`.
  void begin(Instant now, std::uint32_t turn) {
    now_ = now;
    after_.begin_turn(turn);
  }
  Aftermath<Scalar>& after() { return after_; }

  // The turns.

  void start(SimulatedPeer<Scalar>& simulated) {
    simulated.peer->start();
    settle(simulated);
  }
  /// An event happens to the peer, and to it alone.
  void take(const Event& event, SimulatedPeer<Scalar>& simulated);
  void close_round(SimulatedPeer<Scalar>& simulated) {
    simulated.peer->close_round();
    resumed(simulated);
  }
  void hear(const Verdict& verdict, const Announced& announced, SimulatedPeer<Scalar>& simulated);

 private:
  void arrive(std::uint32_t place, SimulatedPeer<Scalar>& receiver);
  void deliver(std::uint32_t place, SimulatedPeer<Scalar>& receiver);
  void resumed(SimulatedPeer<Scalar>& simulated);
  void settle(SimulatedPeer<Scalar>& simulated);
  bool begin_gradient(SimulatedPeer<Scalar>& simulated);
  bool tell(SimulatedPeer<Scalar>& simulated);
  void wait(SimulatedPeer<Scalar>& simulated, bool for_message);
  void note_round(SimulatedPeer<Scalar>& hub);
  void send_outbox(SimulatedPeer<Scalar>& sender);
  void send(Outgoing& outgoing, SimulatedPeer<Scalar>& sender);

  Surroundings around_;
  Instant now_{};
  Aftermath<Scalar> after_;
};

}  // namespace hearsay

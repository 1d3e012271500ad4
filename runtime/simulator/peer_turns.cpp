#include "runtime/simulator/peer_turns.hpp"

#include <algorithm>
#include <utility>

#include "runtime/network/compute_time.hpp"
#include "runtime/network/link.hpp"
#include "runtime/participant/objective_failure.hpp"
#include "runtime/wire/frame.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

template <class Scalar>
void PeerTurns<Scalar>::take(const Event& event, SimulatedPeer<Scalar>& simulated) {
  switch (event.kind) {
    case EventKind::due:
      return arrive(event.place, simulated);
    case EventKind::release:
      return deliver(event.place, simulated);
    case EventKind::gradient:
      simulated.peer->gradient_arrived();
      return settle(simulated);
    default:
      ensure(false, "the event is one of a single peer");
  }
}

template <class Scalar>
void PeerTurns<Scalar>::hear(const Verdict& verdict, const Announced& announced,
                             SimulatedPeer<Scalar>& simulated) {
  if (simulated.peer->state() == PeerState::finished) return;
  const bool waited = simulated.peer->state() == PeerState::needs_verdict;
  simulated.peer->verdict(verdict.evaluated, verdict.proceed, announced);
  if (waited && simulated.peer->state() != PeerState::needs_verdict) resumed(simulated);
}

/// The last byte of the frame reaches the port of the receiver.
template <class Scalar>
void PeerTurns<Scalar>::arrive(std::uint32_t place, SimulatedPeer<Scalar>& receiver) {
  const InFlight& frame = around_.in_flight[place];
  const Instant release = receiver.ingress.release(now_, frame.frame_bytes, *frame.fed);
  receiver.timeline.receives(frame.key, frame.frame_bytes, receiver.ingress.began(),
                             receiver.ingress.ended());
  if (release > now_)
    after_.schedule({release, frame.to, place, EventKind::release});
  else
    deliver(place, receiver);
}

template <class Scalar>
void PeerTurns<Scalar>::deliver(std::uint32_t place, SimulatedPeer<Scalar>& receiver) {
  InFlight& frame = around_.in_flight[place];
  receiver.meters.bytes_received += frame.frame_bytes;
  const PeerState awaited = receiver.peer->state();
  const bool waited = awaited == PeerState::needs_messages;
  const std::uint64_t rounds = receiver.peer->counters().gossip_rounds;
  receiver.peer->deliver(frame.key, std::exchange(frame.packet, {}), frame.metadata);
  after_.land(place);
  if (waited && receiver.peer->counters().gossip_rounds != rounds) {
    receiver.meters.waits.ended_by(frame.key.sender, now_,
                                   receiver.peer->state() == PeerState::needs_messages);
    receiver.timeline.wait_ended_by(frame.key.sender, now_);
  }
  if ((waited || awaited == PeerState::needs_copies) && receiver.peer->state() != awaited) {
    resumed(receiver);
  } else {
    // A wait that ends in another wait may still have left frames in the outbox.
    send_outbox(receiver);
  }
}

template <class Scalar>
void PeerTurns<Scalar>::resumed(SimulatedPeer<Scalar>& simulated) {
  simulated.meters.wait += now_ - simulated.waiting_since;
  simulated.timeline.wait_ends(now_);
  settle(simulated);
}

template <class Scalar>
void PeerTurns<Scalar>::settle(SimulatedPeer<Scalar>& simulated) {
  Peer<Scalar>& peer = *simulated.peer;
  for (;;) {
    send_outbox(simulated);
    switch (peer.state()) {
      case PeerState::needs_gradient:
        if (begin_gradient(simulated)) return;
        peer.gradient_arrived();
        break;
      case PeerState::checkpoint_due:
        peer.checkpoint_taken();
        break;
      case PeerState::evaluation_due:
        if (!tell(simulated)) return;
        peer.evaluation_taken();
        break;
      case PeerState::diverged:
        return after_.diverge();
      case PeerState::needs_messages:
        if (!simulated.rounds.close_if_over(peer, now_)) return wait(simulated, true);
        break;
      case PeerState::idle:
      case PeerState::needs_verdict:
      case PeerState::needs_agreement:
      case PeerState::needs_copies:
        return wait(simulated, false);
      case PeerState::finished:
        return;
    }
  }
}

/// Computes the gradient that the peer asks for. False if it is there at once; true if it takes time, or if
/// the objective has thrown.
template <class Scalar>
bool PeerTurns<Scalar>::begin_gradient(SimulatedPeer<Scalar>& simulated) {
  Peer<Scalar>& peer = *simulated.peer;
  if (auto failure = failure_of([&] { peer.compute_gradient(); })) {
    failure->what = "peer " + std::to_string(peer.id()) + ": its objective failed in iteration " +
                    std::to_string(peer.gradient_iteration()) + ": " + failure->what;
    after_.fail(std::move(*failure));
    return true;
  }
  const RunSettings& settings = around_.experiment.settings;
  const Duration takes = compute_time(network_of(settings, peer.id()).compute, settings.run.seed, peer.id(),
                                      simulated.gradients++, peer.gradient_work(), around_.measured_gradient);
  if (takes == Duration{0}) return false;
  const Availability there = availability_of(settings, peer.id());
  const Instant ready = Instant{} + there.computed(takes, now_ - Instant{});
  simulated.meters.compute += there.presence(now_ - Instant{}, ready - Instant{});
  simulated.timeline.computes(now_, ready, peer.gradient_iteration(), there);
  after_.schedule({ready, peer.id(), 0, EventKind::gradient});
  return true;
}

/// Tells the observer how the peer stands. False if the objective has thrown.
template <class Scalar>
bool PeerTurns<Scalar>::tell(SimulatedPeer<Scalar>& simulated) {
  SentEvaluation<Scalar> report{};
  if (auto failure = failure_of([&] {
        report.frame = report_of(around_.experiment, *simulated.peer, read_meters(simulated, now_));
      })) {
    failure->what = failure_in_evaluation(simulated.peer->id(), simulated.peer->iteration(), failure->what);
    after_.fail(std::move(*failure));
    return false;
  }
  if (around_.traffic) report.due = around_.traffic->pass(now_, simulated.egress, report.frame);
  after_.report(std::move(report));
  return true;
}

template <class Scalar>
void PeerTurns<Scalar>::wait(SimulatedPeer<Scalar>& simulated, bool for_message) {
  if (for_message) simulated.meters.waits.begin(now_);
  simulated.waiting_since = now_;
  simulated.timeline.waits(now_, simulated.peer->iteration() + 1, for_message);
}

/// Notes when the round of a hub is over, if it has just begun one.
template <class Scalar>
void PeerTurns<Scalar>::note_round(SimulatedPeer<Scalar>& hub) {
  if (hub.peer->id() != hub_id) return;
  const Availability there = availability_of(around_.experiment.settings, hub_id);
  if (hub.rounds.note(hub.peer->begun(), now_, there, Instant{}))
    after_.schedule({hub.rounds.over_at(), hub_id, 0, EventKind::round_deadline});
}

template <class Scalar>
void PeerTurns<Scalar>::send_outbox(SimulatedPeer<Scalar>& sender) {
  note_round(sender);
  for (Outgoing& outgoing : sender.peer->outbox()) send(outgoing, sender);
  sender.peer->outbox().clear();
}

template <class Scalar>
void PeerTurns<Scalar>::send(Outgoing& outgoing, SimulatedPeer<Scalar>& sender) {
  const auto link = std::lower_bound(sender.links.begin(), sender.links.end(), outgoing.to,
                                     [](const LinkTo& candidate, PeerId to) { return candidate.to < to; });
  ensure(link != sender.links.end() && link->to == outgoing.to, "a method sends only to its destinations");
  const std::uint64_t frame_bytes = header_bytes + outgoing.packet->size();
  const Departure departure = sender.egress.send(now_, frame_bytes, link->link);
  sender.meters.count_sent(outgoing.to, frame_bytes);
  sender.meters.retransmitted += departure.losses;
  const Duration takes = sender.sending.of(now_ - Instant{}, frame_bytes);
  sender.meters.wire += takes;
  sender.timeline.sends(outgoing.key, outgoing.to, frame_bytes, sender.sending.through(), takes);
  after_.send(departure.due, {outgoing.to, outgoing.key, std::move(outgoing.packet), outgoing.metadata,
                              frame_bytes, link->arrival});
}

template class PeerTurns<float>;
template class PeerTurns<double>;

}  // namespace hearsay

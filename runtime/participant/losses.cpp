#include "runtime/participant/losses.hpp"

#include <algorithm>

#include "runtime/session/arrival_deadline.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

template <class Scalar>
void Losses<Scalar>::check_deadlines() {
  if (!part_.has_started()) {  // the deadlines before the start are the session's
    if (part_.detector.observer_is_gone()) part_.end_with({3, "the observer was gone before the run began"});
    return;
  }
  if (part_.now < part_.detector.look_again() && part_.now < check_again_) return;
  check_again_ = part_.judges_again_at();
  if (!members_agree(part_.experiment())) {
    judge_neighbors();
    judge_offers();
    judge_hub_with_standby();
  }
  judge_observer();
  if (part_.phase == Phase::hands_over) judge_destinations();
}

template <class Scalar>
void Losses<Scalar>::judge_neighbors() {
  const SilenceWatch::Judgement judgement = part_.judge_silence_of(part_.peer->waiting_for());
  if (judgement.word) part_.tell_user(News::waits, part_.id(), *judgement.word);
  for (const SilenceWatch::Lost& lost : judgement.lost) {
    if (part_.drops() && part_.is_hub(lost.id) && !part_.peer->role().survives_hub())
      lose_hub(lost.how);
    else if (part_.drops())
      part_from(lost.id, lost.how);
    else
      part_.end_with(
          {3, "peer " + std::to_string(lost.id) + " was lost: " + lost.how + part_.in_iteration()});
  }
}

/// A neighbor that does not answer an offer in time is lost again.
template <class Scalar>
void Losses<Scalar>::judge_offers() {
  if (part_.peer->state() != PeerState::needs_agreement || !part_.detector.has_waited_too_long(part_.now))
    return;
  if (part_.peer->neighbors().lacks_hub()) return lose_hub("it has gone on without this peer");
  for (const PeerId neighbor : part_.peer->neighbors().offered()) part_from(neighbor, "it does not answer");
}

/// Gives up, or believes the standby, where the hub is lost and has one.
template <class Scalar>
void Losses<Scalar>::judge_hub_with_standby() {
  const Peer<Scalar>& peer = *part_.peer;
  if (peer.role().hears_claim(peer.iteration()) && part_.detector.is_silent(hub_id, part_.now))
    part_from(hub_id, "peer " + std::to_string(*part_.failure().hub_standby) + " has taken over");
  if (peer.role().awaits_standby() && part_.now - part_.detector.waits_since() > patience_with_standby())
    lose_hub("it has not taken over from peer " + std::to_string(hub_id));
  if (peer.was_mistaken()) lose_hub("it has gone on without this peer, which had taken over");
}

/// How long a worker waits for the standby, which may find out later that the hub is lost: it may be in the
/// middle of its gradients.
template <class Scalar>
Duration Losses<Scalar>::patience_with_standby() const {
  const auto rounds = static_cast<std::int64_t>(std::max<std::uint64_t>(1, part_.peer->iteration()));
  return ArrivalDeadline::times_lost_after * part_.failure().lost_after +
         3 * (part_.meter.since_begin(part_.now) / rounds);
}

/// A peer that waits for a neighbor learns by that whether the run goes on.
template <class Scalar>
void Losses<Scalar>::judge_observer() {
  if (!part_.peer->waiting_for().empty()) return;
  const std::optional<std::string> how = part_.detector.lost_observer(part_.now);
  if (!how) return;
  if (!part_.drops()) return part_.end_with({3, *how});
  part_.tell_user(News::loses_observer, part_.id(),
                  part_.self() + ": " + *how + "; the peers go on, each keeps its own model");
  part_.detector.set_observed(false);
  part_.session.turn_from_observer(part_.peer->needed_from());
  part_.peer->detach_from_observer();
}

template <class Scalar>
void Losses<Scalar>::look_for_observer() {
  if (!part_.detector.hears_observer(part_.now)) return;
  part_.tell_user(News::hears_observer, part_.id(), part_.self() + " hears the observer again");
  part_.detector.set_observed(true);
  part_.session.turn_from_observer(part_.peer->needed_from());
  part_.peer->attach_to_observer();
}

/// Of a peer that stays until its neighbors need nothing more: a lost one needs nothing.
template <class Scalar>
void Losses<Scalar>::judge_destinations() {
  for (const PeerId destination : part_.session.input().destinations) {
    if (!part_.detector.is_lost(destination, part_.now)) continue;
    if (members_agree(part_.experiment()))
      part_.session.send_edge_request({.what = EdgeRequest::What::part, .neighbor = destination});
    else
      part_from(destination, "it has said nothing for " + to_text(part_.failure().lost_after));
  }
}

template <class Scalar>
void Losses<Scalar>::hear(const PeerDeparted& departed) {
  if (departed.takes_this_for_gone) {
    const HubRole* hub = part_.peer->role().as_hub();
    if (hub && hub->is_replaced_by(departed.id)) return end_as_replaced();
    StandbyHub<Scalar>* second_hub = part_.peer->standby_hub();
    if (second_hub && departed.id == hub_id) second_hub->stand_down();
  }
  part_from(departed.id, departed.how);
}

template <class Scalar>
void Losses<Scalar>::part_from(PeerId neighbor, const std::string& why) {
  Peer<Scalar>& peer = *part_.peer;
  if (!part_.drops() || !peer.role().deals_with(neighbor)) return;
  if (!part_.has_started()) return leave_before_the_start(neighbor);
  const bool loses_hub = part_.is_hub(neighbor);
  if (!peer.role().has_lost(neighbor)) {
    const std::uint64_t iteration =
        peer.standby_hub() && loses_hub ? peer.standby_hub()->round() : peer.iteration() + 1;
    part_.tell_user(News::parts, neighbor,
                    part_.self() + what_follows(neighbor) + std::to_string(neighbor) + " (iteration " +
                        std::to_string(iteration) + "): " + why);
  }
  const std::uint64_t rounds = peer.counters().gossip_rounds;
  send(respond(peer, PeerDeparted{neighbor, why}));
  if (loses_hub && peer.role().awaits_standby()) part_.detector.begin_wait(part_.now);
  if (peer.counters().gossip_rounds != rounds)  // the peer had waited for this neighbor alone
    part_.meter.round_ended_without(neighbor, part_.now, peer.state() == PeerState::needs_messages);
  if (const HubRole* hub = peer.role().as_hub(); hub && hub->is_deserted()) end_as_replaced();
}

template <class Scalar>
void Losses<Scalar>::leave_before_the_start(PeerId neighbor) {
  part_.leaving = Part<Scalar>::Leaving::left_behind;
  const std::string consequence = part_.id() == observer_peer
                                      ? ", which kept the record of the run, and cannot join it anew"
                                      : ", and " + part_.experiment().method->name + " cannot be joined";
  part_.end_with(
      {3, "peer " + std::to_string(neighbor) + " has gone on without " + part_.self() + consequence});
}

template <class Scalar>
std::string Losses<Scalar>::what_follows(PeerId lost) const {
  if (!part_.is_hub(lost)) return " goes on without peer ";
  if (!part_.peer->role().survives_hub()) return " waits for the hub, peer ";
  if (part_.peer->standby_hub()) return " takes over from the hub, peer ";
  return " waits for peer " + std::to_string(*part_.failure().hub_standby) +
         " to take over from the hub, peer ";
}

template <class Scalar>
void Losses<Scalar>::send(const std::optional<EdgeRequest>& request) {
  if (!request) return;
  part_.session.send_edge_request(*request);
  if (request->what != EdgeRequest::What::take && request->what != EdgeRequest::What::agree) return;
  part_.tell_user(News::takes_back, request->neighbor,
                  "peer " + std::to_string(request->neighbor) + " is back at " + part_.self() +
                      ", from iteration " + std::to_string(request->iteration) + " on");
}

template <class Scalar>
void Losses<Scalar>::lose_hub(const std::string& how) {
  ensure(part_.peer->role().hub().has_value(), "only a worker loses its hub");
  if (!part_.begin_to_leave_alone()) return;
  part_.tell_observer_that_it_leaves("");
  part_.end_with({3, "the hub, peer " + std::to_string(*part_.peer->role().hub()) + ", was lost: " + how +
                         part_.in_iteration()});
}

template <class Scalar>
void Losses<Scalar>::end_as_replaced() {
  ensure(part_.failure().hub_standby.has_value(), "only a standby replaces a hub");
  if (!part_.begin_to_leave_alone()) return;
  const PeerId standby = *part_.failure().hub_standby;
  part_.tell_observer_that_it_leaves("peer " + std::to_string(standby) +
                                     " has taken over from it, which was silent for too long");
  const std::string why = "peer " + std::to_string(standby) +
                          " has taken over from this hub, which was silent for too long" +
                          part_.in_iteration();
  part_.tell_user(News::is_replaced, standby, part_.self() + ": " + why);
  part_.end_with({3, why, true});
}

template class Losses<float>;
template class Losses<double>;

}  // namespace hearsay

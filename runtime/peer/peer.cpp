#include "runtime/peer/peer.hpp"

#include <utility>

#include "algorithms/arithmetic/reductions.hpp"
#include "runtime/peer/peer_beginning.hpp"

namespace hearsay {

template <class Scalar>
void Peer<Scalar>::evaluation_taken() {
  ensure(state_ == PeerState::evaluation_due, "an evaluation was taken that was not due");
  evaluated_ = completed_;
  advance_or_wait();
}

template <class Scalar>
bool Peer<Scalar>::checkpoint_is_due() const {
  if (!input_.checkpoints.any()) return false;
  if (completed_ == input_.iterations) return true;
  // The first announcement comes with the verdict on the first evaluation.
  if (input_.checkpoints.as_announced && completed_ <= 2 * input_.evaluate_every) return false;
  return checkpoint_every() != 0 && completed_ % checkpoint_every() == 0;
}

/// Called after an iteration and its checkpoint, if one was due.
template <class Scalar>
void Peer<Scalar>::evaluate_or_advance() {
  if (!evaluation_is_due() || evaluated_ == completed_) return advance_or_wait();
  state_ = PeerState::evaluation_due;
}

/// Called after an iteration and its evaluation, if one was due. Begins the next iteration, ends, or waits
/// for the verdict without which this peer may not pass an evaluation.
template <class Scalar>
void Peer<Scalar>::advance_or_wait() {
  if (completed_ >= input_.iterations) {
    state_ = PeerState::finished;
    return;
  }
  if (verdicts_.evaluations.is_at(completed_)) {
    const std::uint64_t needed = verdicts_.evaluations.before(completed_);
    if (verdicts_.awaited && (!verdicts_.last || *verdicts_.last < needed)) {
      state_ = PeerState::needs_verdict;
      return;
    }
    if (verdicts_.stop_after && completed_ >= *verdicts_.stop_after) {
      state_ = PeerState::finished;
      return;
    }
    verdicts_.evaluations.pass();
  }
  begin_iteration();
}

template <class Scalar>
void Peer<Scalar>::verdict(std::uint64_t evaluated, bool proceed, const Announced& announced) {
  ensure(!verdicts_.last || *verdicts_.last < evaluated, "verdicts come in the order of the evaluations");
  verdicts_.hear(evaluated, proceed, announced);
  if (standby_hub()) standby_hub()->verdict(evaluated, proceed);
  if (state_ == PeerState::needs_verdict) advance_or_wait();
  go_on_with_second_hub();
}

/// False if an offer has to be answered first.
template <class Scalar>
bool Peer<Scalar>::may_begin() {
  if (completed_ + 1 < neighbors_.holds_before()) return true;
  state_ = PeerState::needs_agreement;
  return false;
}

template <class Scalar>
void Peer<Scalar>::begin_iteration() {
  if (!may_begin()) return;
  method_.begin(completed_ + 1);
  follow_method();
}

/// The method has gone on: it waits for something, or its iteration is over, and others may be, too.
template <class Scalar>
void Peer<Scalar>::follow_method() {
  while (method_.phase() == MethodPhase::over) {
    if (!complete_iteration() || !may_begin()) return;
    method_.begin(completed_ + 1);
  }
  state_ =
      method_.phase() == MethodPhase::needs_gradient ? PeerState::needs_gradient : PeerState::needs_messages;
}

template <class Scalar>
void Peer<Scalar>::close_round() {
  ensure(may_close_round(), "only a hub that waits for answers closes a round");
  method_.close_round(*role_.as_hub());
  follow_method();
}

/// True if the next iteration is to begin at once.
template <class Scalar>
bool Peer<Scalar>::complete_iteration() {
  ++completed_;
  ensure(begun() == completed_, "the iteration that is over is the one that was begun last");
  if (keeps_states_) kept_after(completed_).take(*input_.algorithm, completed_);
  std::optional<Divergence>& divergence = method_.divergence();
  if (!divergence && !method_.has_found_finite(model()) && !all_finite(view(model())))
    divergence = Divergence{begun(), "the model left the finite range"};
  if (divergence) {
    state_ = PeerState::diverged;
    answer_joiners();
    return false;
  }
  if (const HubRole* hub = role_.as_hub()) hub->tell_roster(completed_, row(), *input_.packets, outbox_);
  const StandbyRole<Scalar>* standby = role_.as_standby();
  if (!standby) return end_iteration();
  standby->attend(completed_, method_.inbox(), outbox_);
  if (standby_hub()->has_completed(completed_)) return end_iteration();
  state_ = PeerState::needs_copies;
  return false;
}

/// The same, once the iteration is over at the second hub, too, if this peer keeps one ready.
template <class Scalar>
bool Peer<Scalar>::end_iteration() {
  if (standby_hub()) method_.divergence() = standby_hub()->divergence();
  if (method_.divergence()) {
    state_ = PeerState::diverged;
    return false;
  }
  answer_joiners();
  if (!checkpoint_is_due() && !evaluation_is_due()) return true;
  state_ = checkpoint_is_due() ? PeerState::checkpoint_due : PeerState::evaluation_due;
  return false;
}

template <class Scalar>
void Peer<Scalar>::answer_joiners() {
  const bool ends = has_ended() || verdicts_.stop_after || completed_ >= input_.iterations;
  neighbors_.answer_joiners({completed_, verdicts_.last},
                            [&] { return ends ? PacketRef() : copy_of(model(), input_.packets->acquire()); });
}

template <class Scalar>
void Peer<Scalar>::compute_gradient() {
  method_.compute_gradient();
}

template <class Scalar>
void Peer<Scalar>::gradient_arrived() {
  method_.gradient_arrived();
  follow_method();
}

template <class Scalar>
void Peer<Scalar>::deliver(MessageKey key, PacketRef packet, const MessageMetadata& metadata) {
  if (AsynchronousRole<Scalar>* exchanging = role_.asynchronous()) {
    if (!exchanging->take_in(method_.iteration(), key, packet, has_ended(), outbox_)) return;
    if (state_ != PeerState::needs_messages) return;
    method_.reply_arrived();
    return follow_method();
  }
  switch (role_.hear(key, packet, metadata, completed_)) {
    case Hearing::of_the_method:
      if (method_.hear(key, std::move(packet), metadata, completed_)) follow_method();
      return;
    case Hearing::late:
      ++counters_.late;
      break;
    case Hearing::contradiction:
      contradict(key.iteration);
      break;
    case Hearing::kept:
      break;
  }
  go_on_with_second_hub();
}

/// Hub and standby have said different things in the iteration.
template <class Scalar>
void Peer<Scalar>::contradict(std::uint64_t iteration) {
  if (has_ended()) return;
  method_.divergence() = HubSeat::contradiction_in(iteration);
  if (state_ == PeerState::needs_gradient) return;  // the peer ends with the iteration
  method_.stop();
  state_ = PeerState::diverged;
}

/// Lets the second hub go on, and this peer, if what it waits for is there then.
template <class Scalar>
void Peer<Scalar>::go_on_with_second_hub() {
  const StandbyRole<Scalar>* standby = role_.as_standby();
  if (!standby) return;
  standby->attend(completed_, method_.inbox(), outbox_);
  if (state_ == PeerState::needs_messages) {
    if (method_.take_from_inbox()) follow_method();
  } else if (state_ == PeerState::needs_copies && standby_hub()->has_completed(completed_)) {
    if (end_iteration()) begin_iteration();
  }
}

template <class Scalar>
std::vector<PeerId> Peer<Scalar>::waiting_for() const {
  const bool for_second_hub = state_ == PeerState::needs_copies || (state_ == PeerState::needs_messages &&
                                                                    standby_hub() && standby_hub()->serves());
  if (for_second_hub) return standby_hub()->waiting_for();
  if (was_mistaken()) return {};  // nobody speaks to it as a hub
  std::vector<PeerId> missing = method_.missing_senders();
  std::erase_if(missing, [&](PeerId id) { return neighbors_.lacks(id, begun()); });
  if (role_.hub() != input_.hub && !missing.empty())
    missing = {*role_.hub()};  // the method knows its first id
  return missing;
}

template <class Scalar>
StateDigests Peer<Scalar>::digests() {
  StateDigests digests = digest_state(*input_.algorithm);
  digests.told = method_.guard().last_sent_digests();
  std::erase_if(digests.replicas,
                [&](const auto& replica) { return neighbors_.lacks(replica.first, completed_); });
  return digests;
}

template <class Scalar>
void Peer<Scalar>::lose(PeerId neighbor) {
  const NeighborLoss loss = role_.lose(neighbor);
  for (const HubSeat::Claim& claim : loss.claims) deliver(claim.key, claim.packet, claim.metadata);
  if (!loss.neighbor) return go_on_with_second_hub();
  if (neighbors_.lose(*loss.neighbor) && method_.depart_lost()) follow_method();
}

template class Peer<float>;
template class Peer<double>;

}  // namespace hearsay

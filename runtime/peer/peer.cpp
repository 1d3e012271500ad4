#include "runtime/peer/peer.hpp"

#include <algorithm>

#include "algorithms/arithmetic/reductions.hpp"
#include "runtime/peer/joining.hpp"
#include "runtime/peer/staleness.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

template <class Scalar>
Peer<Scalar>::Peer(PeerInput<Scalar> input)
    : input_(std::move(input)),
      iteration_(*this, PeerRows(*input_.schedule, input_.id), input_.seed),
      answering_(input_.algorithm->answering()),
      verdicts_{.evaluations = {input_.evaluate_every, input_.evaluates_as_announced}},
      gradients_(*input_.objective, input_.minibatches, input_.clip, input_.algorithm->model().size()),
      inbox_(input_.schedule->peer_count(),
             input_.staleness + (input_.rounds_close ? 2 * input_.evaluate_every : 0)),
      exchanges_(input_.patient_neighbors),
      neighbors_(input_),
      succession_(input_),
      guard_(input_, counters_) {
  ensure(!answering_ || !input_.checkpoints.any(),
         "what is under way between asynchronous peers is in no image");
  if (!input_.joins_at) return;
  completed_ = input_.joins_at->iteration;
  verdicts_.last = input_.joins_at->last_verdict;
}

template <class Scalar>
void Peer<Scalar>::start() {
  ensure(state_ == PeerState::idle, "a peer is started once");
  if (standby_hub()) standby_hub()->start();
  if (completed_ == 0) return advance_or_wait();
  if (says_again_) say_again();
  evaluate_or_advance();
}

template <class Scalar>
void Peer<Scalar>::say_again() {
  for (std::uint64_t number = first_needed_in(completed_ + 1, input_.staleness); number <= completed_;
       ++number) {
    iteration_.begin(number, input_.step_size);
    input_.algorithm->say_again(iteration_);
  }
}

template <class Scalar>
void Peer<Scalar>::evaluation_taken() {
  ensure(state_ == PeerState::evaluation_due, "an evaluation was taken that was not due");
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
  if (evaluation_is_due())
    state_ = PeerState::evaluation_due;
  else
    advance_or_wait();
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

template <class Scalar>
void Peer<Scalar>::begin_iteration() {
  do {
    const std::uint64_t number = completed_ + 1;
    if (number >= neighbors_.holds_before()) {
      state_ = PeerState::needs_agreement;
      return;
    }
    iteration_.mix_as_scheduled();
    iteration_.begin(number, input_.step_size);
    if (!exchange_attachments()) return;
    if (begin_method()) return;
  } while (complete_iteration());
}

template <class Scalar>
void Peer<Scalar>::close_round() {
  ensure(may_close_round(), "only a hub that waits for answers closes a round");
  awaited_.give_up_missing();
  answered_row_ = iteration_.mixing();
  std::erase_if(answered_row_.hears, [&](const WeightedNeighbor& heard) {
    return !std::ranges::binary_search(awaited_.senders(), heard.id);
  });
  iteration_.mix_by(answered_row_);
  iteration_.turn_to(iteration_.number() - 1);
  ++counters_.gossip_rounds;
  resume();
}

/// False if the peer sits the iteration out.
template <class Scalar>
bool Peer<Scalar>::begin_method() {
  gradients_.begin_iteration(iteration_);
  neighbors_.mix(iteration_);
  guard_.begin_iteration(iteration_, inbox_, outbox_);
  if (input_.may_sit_out && !iteration_.mixing().participates) return false;
  if (is_over(iteration_.number())) return false;
  if (work_trace_) work_trace_->begin(iteration_.number());
  task_ = input_.algorithm->iterate(iteration_);
  resume();
  return true;
}

template <class Scalar>
void Peer<Scalar>::resume() {
  if (neighbors_.attaching()) return take_attachments();
  task_.resume();
  if (task_.done() && complete_iteration()) begin_iteration();
}

/// True if the next iteration is to begin at once.
template <class Scalar>
bool Peer<Scalar>::complete_iteration() {
  ++completed_;
  awaited_.forget_packets();
  if (!divergence_ && !all_finite(view(model())))
    divergence_ = Divergence{iteration_.number(), "the model left the finite range"};
  if (divergence_) {
    state_ = PeerState::diverged;
    answer_joiners();
    return false;
  }
  if (input_.standby && !input_.hub)
    succession_.tell_roster(completed_, iteration_.mixing(), *neighborhood(), outbox_);
  succession_.attend(completed_, inbox_, outbox_);
  if (succession_.keeps_up(completed_)) return end_iteration();
  state_ = PeerState::needs_copies;
  return false;
}

/// The same, once the iteration is over at the second hub, too, if this peer keeps one ready.
template <class Scalar>
bool Peer<Scalar>::end_iteration() {
  if (standby_hub()) divergence_ = standby_hub()->divergence();
  if (divergence_) {
    state_ = PeerState::diverged;
    return false;
  }
  answer_joiners();
  if (checkpoint_is_due())
    state_ = PeerState::checkpoint_due;
  else if (evaluation_is_due())
    state_ = PeerState::evaluation_due;
  else
    return true;
  return false;
}

template <class Scalar>
void Peer<Scalar>::send(Slot slot, PeerId to, const PacketRef& packet) {
  if (answering_) exchanges_.ask(iteration_.number(), to);
  if (work_trace_) work_trace_->add({WorkStep::Kind::send, slot, to, packet->size()});
  const Outgoing message{to,
                         {iteration_.number(), slot, input_.id},
                         packet,
                         {neighbors_.degree_to_send(), guard_.digest_to_send()}};
  succession_.post(message, outbox_);
  guard_.note_sent(iteration_.number(), slot, to);
}

template <class Scalar>
bool Peer<Scalar>::request_gradient(const Vector<Scalar>& x, std::span<const Index> samples) {
  if (work_trace_) work_trace_->add({.kind = WorkStep::Kind::gradient, .amount = samples.size()});
  gradients_.request(x, samples);
  state_ = PeerState::needs_gradient;
  return false;
}

template <class Scalar>
void Peer<Scalar>::compute_gradient() {
  ensure(state_ == PeerState::needs_gradient, "a gradient was computed that nobody asked for");
  counters_.gradient_evaluations += gradients_.requested_samples();
  gradients_.compute();
}

template <class Scalar>
void Peer<Scalar>::gradient_arrived() {
  ensure(state_ == PeerState::needs_gradient, "a gradient arrived that nobody asked for");
  if (!divergence_)
    if (auto defect = gradients_.defect())
      divergence_ = Divergence{iteration_.number(), std::move(*defect), false, true};
  resume();
}

template <class Scalar>
bool Peer<Scalar>::request_packets(std::uint64_t number, Slot slot, std::span<const PeerId> senders) {
  if (work_trace_)
    work_trace_->add(
        {WorkStep::Kind::wait, slot, 0, iteration_.number() - number, {senders.begin(), senders.end()}});
  awaited_.begin(number, slot, senders);
  if (!answering_) awaited_.take_from(inbox_);
  neighbors_.depart_lost(awaited_, iteration_);
  if (answering_ ? !exchanges_.asking() : awaited_.complete()) {
    if (!answering_) ++counters_.gossip_rounds;
    return true;
  }
  state_ = PeerState::needs_messages;
  return false;
}

template <class Scalar>
void Peer<Scalar>::deliver(MessageKey key, const PacketRef& packet, const MessageMetadata& metadata) {
  if (answering_) return hear(key, packet);
  if (!is_for_the_method(key, packet, metadata)) return;
  if (key.iteration < first_needed_in(completed_ + 1, input_.staleness) || neighbors_.is_out(key)) {
    ++counters_.late;
    return;
  }
  neighbors_.hear_degree(key, metadata.degree);
  if (guard_.watches()) {
    if (metadata.replica_digest != 0) guard_.hear_digest(key, metadata.replica_digest, completed_);
    const bool under_way = iteration_.number() == completed_ + 1 && !neighbors_.attaching();
    if (key.slot == copy_slot && under_way && key.iteration == iteration_.number())
      return guard_.hear_copy(key, packet);
  }
  const auto taking =
      state_ == PeerState::needs_messages ? awaited_.take(key, packet) : AwaitedPackets::Taking::not_awaited;
  switch (taking) {
    case AwaitedPackets::Taking::taken:
      if (!awaited_.complete()) return;
      ++counters_.gossip_rounds;
      return resume();
    case AwaitedPackets::Taking::duplicate:
      ++counters_.duplicate;
      return;
    case AwaitedPackets::Taking::not_awaited:
      return file(key, packet);
  }
}

/// Takes in a message of an asynchronous method.
template <class Scalar>
void Peer<Scalar>::hear(const MessageKey& key, const PacketRef& packet) {
  const Exchanges::Outcome heard = exchanges_.hear(key, packet);
  switch (heard) {
    case Exchanges::Outcome::late:
      ++counters_.late;
      return;
    case Exchanges::Outcome::duplicate:
      ++counters_.duplicate;
      return;
    case Exchanges::Outcome::overflow:
      ++counters_.overflow;
      return;
    case Exchanges::Outcome::reply:
      if (packet->size() == 0) break;  // its sender is busy, or has ended
      ++counters_.exchanges_asked;
      ++counters_.gossip_rounds;
      answering_->take_reply(iteration_, key.sender, packet);
      break;
    case Exchanges::Outcome::busy:
      return reply(key, new_packet().seal());
    case Exchanges::Outcome::request:
      break;
  }
  while (const auto request = exchanges_.next()) answer(*request);
  if (heard == Exchanges::Outcome::reply && state_ == PeerState::needs_messages) resume();
}

template <class Scalar>
void Peer<Scalar>::answer(const Exchanges::Request& request) {
  PacketRef answer;
  if (!has_ended()) answer = answering_->answer(iteration_, request.key.sender, request.packet);
  if (answer)
    ++counters_.exchanges_answered;
  else
    answer = new_packet().seal();
  reply(request.key, std::move(answer));
}

/// A malformed message is flagged even if the peer had diverged before.
template <class Scalar>
void Peer<Scalar>::report(CodecStatus status) {
  if (status == CodecStatus::ok) return;
  if (!divergence_) divergence_ = divergence_of(status, iteration_.number());
  if (status == CodecStatus::malformed) divergence_->malformed = true;
}

template <class Scalar>
bool Peer<Scalar>::is_for_the_method(MessageKey& key, const PacketRef& packet,
                                     const MessageMetadata& metadata) {
  using enum Hearing;
  switch (succession_.hear(key, packet, metadata, completed_)) {
    case of_the_hub:
      return true;
    case late:
      ++counters_.late;
      break;
    case contradiction:
      if (has_ended()) return true;
      divergence_ = HubSeat::contradiction_in(key.iteration);
      if (state_ != PeerState::needs_gradient) state_ = PeerState::diverged;  // else at the iteration's end
      break;
    case kept:
      break;
  }
  go_on_with_second_hub();
  return false;
}

/// Lets the second hub go on, and this peer, if what it waits for is there then.
template <class Scalar>
void Peer<Scalar>::go_on_with_second_hub() {
  if (!standby_hub()) return;
  succession_.attend(completed_, inbox_, outbox_);
  if (state_ == PeerState::needs_messages) {
    awaited_.take_from(inbox_);
    if (!awaited_.complete()) return;
    ++counters_.gossip_rounds;
    resume();
  } else if (state_ == PeerState::needs_copies && succession_.keeps_up(completed_)) {
    if (end_iteration()) begin_iteration();
  }
}

template <class Scalar>
std::vector<PeerId> Peer<Scalar>::waiting_for() const {
  const bool for_second_hub = state_ == PeerState::needs_copies || (state_ == PeerState::needs_messages &&
                                                                    standby_hub() && standby_hub()->serves());
  if (for_second_hub) return standby_hub()->waiting_for();
  if (was_mistaken()) return {};  // nobody speaks to it as a hub
  std::vector<PeerId> missing;
  if (state_ == PeerState::needs_messages) missing = awaited_.missing_senders();
  std::erase_if(missing, [&](PeerId id) { return neighbors_.lacks(id, iteration_.number()); });
  if (hub() != input_.hub && !missing.empty()) missing = {*hub()};  // the method knows its first id
  return missing;
}

template <class Scalar>
StateDigests Peer<Scalar>::digests() {
  StateDigests digests = digest_state(*input_.algorithm);
  digests.told = guard_.last_sent_digests();
  std::erase_if(digests.replicas,
                [&](const auto& replica) { return neighbors_.lacks(replica.first, completed_); });
  return digests;
}

template <class Scalar>
void Peer<Scalar>::lose(PeerId neighbor) {
  std::vector<HubSeat::Claim> claims;
  const std::optional<PeerId> left = succession_.lose(neighbor, claims);
  for (const HubSeat::Claim& claim : claims) deliver(claim.key, claim.packet, claim.metadata);
  if (!left) return go_on_with_second_hub();
  if (!neighbors_.lose(*left) || state_ != PeerState::needs_messages) return;
  neighbors_.depart_lost(awaited_, iteration_);
  if (!awaited_.complete()) return;
  ++counters_.gossip_rounds;
  resume();
}

template class Peer<float>;
template class Peer<double>;

}  // namespace hearsay

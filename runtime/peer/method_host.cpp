#include "runtime/peer/method_host.hpp"

#include <utility>

#include "algorithms/arithmetic/reductions.hpp"
#include "runtime/peer/staleness.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

template <class Scalar>
MethodHost<Scalar>::MethodHost(const Surroundings& surroundings)
    : input_(surroundings.input),
      neighbors_(surroundings.neighbors),
      role_(surroundings.role),
      counters_(surroundings.counters),
      outbox_(surroundings.outbox),
      iteration_(*this, PeerRows(*input_.schedule, input_.id), input_.seed,
                 input_.draws_as.value_or(input_.id)),
      gradients_(*input_.objective, input_.minibatches, input_.clip, input_.algorithm->model().size()),
      inbox_(input_.schedule->peer_count(),
             input_.staleness + (input_.rounds_close ? 2 * input_.evaluate_every : 0)),
      guard_(input_, counters_) {}

template <class Scalar>
void MethodHost<Scalar>::say_again(std::uint64_t number) {
  iteration_.begin(number, input_.step_size);
  input_.algorithm->say_again(iteration_);
}

template <class Scalar>
void MethodHost<Scalar>::begin(std::uint64_t number) {
  ensure(phase_ == MethodPhase::over, "an iteration begins when the one before is over");
  iteration_.mix_as_scheduled();
  iteration_.begin(number, input_.step_size);
  const std::vector<PeerId> attached = neighbors_.begin_iteration(number, outbox_);
  if (attached.empty()) return begin_method();
  if (request_packets(number, attach_slot, attached)) end_attaching();
}

template <class Scalar>
void MethodHost<Scalar>::end_attaching() {
  report(neighbors_.end_attaching(awaited_));
  begin_method();
}

template <class Scalar>
void MethodHost<Scalar>::begin_method() {
  gradients_.begin_iteration(iteration_);
  neighbors_.mix(iteration_);
  guard_.begin_iteration(iteration_, inbox_, outbox_);
  if (sits_out()) return end_iteration();
  if (work_trace_) work_trace_->begin(iteration_.number());
  task_ = input_.algorithm->iterate(iteration_);
  resume();
}

template <class Scalar>
bool MethodHost<Scalar>::sits_out() const {
  if (input_.may_sit_out && !iteration_.mixing().participates) return true;
  const WorkerRole* worker = role_.as_worker();
  return worker && worker->is_over(iteration_.number(), inbox_);
}

template <class Scalar>
void MethodHost<Scalar>::resume() {
  if (neighbors_.attaching()) return end_attaching();
  take_back_lent();
  task_.resume();
  if (task_.done()) end_iteration();
}

template <class Scalar>
PacketRef MethodHost<Scalar>::lent_packet(std::span<const std::byte> bytes) {
  if (bytes.size() <= lends_beyond_) return IterationHost<Scalar>::lent_packet(bytes);
  return lent_.emplace_back(input_.packets->acquire(bytes.size()).lend(bytes));
}

/// The method may change what it has lent: what has not left by now is copied at once.
template <class Scalar>
void MethodHost<Scalar>::take_back_lent() {
  for (const PacketRef& packet : lent_) packet->bytes();
  lent_.clear();
}

template <class Scalar>
bool MethodHost<Scalar>::resume_if_complete() {
  if (!awaited_.complete()) return false;
  ++counters_.gossip_rounds;
  resume();
  return true;
}

template <class Scalar>
void MethodHost<Scalar>::send(Slot slot, PeerId to, const PacketRef& packet) {
  if (work_trace_) work_trace_->add({WorkStep::Kind::send, slot, to, packet->size()});
  role_.post({to,
              {iteration_.number(), slot, input_.id},
              packet,
              {neighbors_.degree_to_send(), guard_.digest_to_send()}},
             outbox_);
  guard_.note_sent(iteration_.number(), slot, to);
}

template <class Scalar>
bool MethodHost<Scalar>::request_gradient(const Vector<Scalar>& x, std::span<const Index> samples) {
  if (gradients_.take_ahead(x, samples)) {
    take_back_lent();
    take_gradient();
    return true;
  }
  if (work_trace_) work_trace_->add({.kind = WorkStep::Kind::gradient, .amount = samples.size()});
  gradients_.request(x, samples);
  phase_ = MethodPhase::needs_gradient;
  return false;
}

/// The last iteration computes none ahead, nor does a peer that is about to diverge.
template <class Scalar>
bool MethodHost<Scalar>::request_gradient_ahead(const Vector<Scalar>& x) {
  if (iteration_.number() >= input_.iterations || divergence_ || !all_finite(view(x))) {
    take_back_lent();
    return true;
  }
  gradients_.request_ahead(iteration_, x);
  if (work_trace_)
    work_trace_->add({.kind = WorkStep::Kind::gradient, .amount = gradients_.requested_samples()});
  phase_ = MethodPhase::needs_gradient;
  return false;
}

template <class Scalar>
void MethodHost<Scalar>::compute_gradient() {
  ensure(phase_ == MethodPhase::needs_gradient, "a gradient was computed that nobody asked for");
  gradients_.compute();
}

/// The gradient is there that the method has asked for. One that is computed ahead is counted, and judged, in
/// the iteration that asks for it.
template <class Scalar>
void MethodHost<Scalar>::take_gradient() {
  counters_.gradient_evaluations += gradients_.requested_samples();
  if (divergence_) return;
  if (auto defect = gradients_.defect())
    divergence_ = Divergence{iteration_.number(), std::move(*defect), false, true};
}

template <class Scalar>
void MethodHost<Scalar>::gradient_arrived() {
  ensure(phase_ == MethodPhase::needs_gradient, "a gradient arrived that nobody asked for");
  if (!gradients_.is_ahead()) take_gradient();
  resume();
}

template <class Scalar>
bool MethodHost<Scalar>::request_packets(std::uint64_t number, Slot slot, std::span<const PeerId> senders) {
  if (work_trace_)
    work_trace_->add(
        {WorkStep::Kind::wait, slot, 0, iteration_.number() - number, {senders.begin(), senders.end()}});
  awaited_.begin(number, slot, senders);
  phase_ = MethodPhase::needs_messages;  // unless they are there: then the method goes on at once
  if (const AsynchronousRole<Scalar>* exchanging = role_.asynchronous()) {
    take_back_lent();
    return !exchanging->asks();
  }
  awaited_.take_from(inbox_);
  neighbors_.depart_lost(awaited_, iteration_);
  if (!awaited_.complete()) return false;
  take_back_lent();
  ++counters_.gossip_rounds;
  return true;
}

/// Messages of the model's size come in pieces. So one that is in the inbox has another size.
template <class Scalar>
void MethodHost<Scalar>::take_pieces(Slot slot, PieceTaker& taker) {
  pieces_ = {&taker, slot};
  for (const WeightedNeighbor& neighbor : iteration_.mixing().hears)
    if (inbox_.has({iteration_.number(), slot, neighbor.id})) taker.end(neighbor.id, 0);
}

template <class Scalar>
bool MethodHost<Scalar>::hear_piece(const MessageKey& key, std::size_t from,
                                    std::span<const std::byte> bytes) {
  return pieces_.take(key, iteration_.number()) && pieces_.taker->take(key.sender, from, bytes);
}

template <class Scalar>
bool MethodHost<Scalar>::hear(const MessageKey& key, PacketRef packet, const MessageMetadata& metadata,
                              std::uint64_t completed) {
  if (key.iteration < first_needed_in(completed + 1, input_.staleness) || neighbors_.is_out(key)) {
    ++counters_.late;
    return false;
  }
  if (pieces_.take(key, iteration_.number())) pieces_.taker->end(key.sender, metadata.taken_bytes);
  neighbors_.hear_degree(key, metadata.degree);
  if (guard_.watches()) {
    if (metadata.replica_digest != 0) guard_.hear_digest(key, metadata.replica_digest, completed);
    const bool under_way = iteration_.number() == completed + 1 && !neighbors_.attaching();
    if (key.slot == copy_slot && under_way && key.iteration == iteration_.number()) {
      guard_.hear_copy(key, packet);
      return false;
    }
  }
  const auto taking = phase_ == MethodPhase::needs_messages ? awaited_.take(key, packet)
                                                            : AwaitedPackets::Taking::not_awaited;
  switch (taking) {
    case AwaitedPackets::Taking::taken:
      packet = {};  // the method may want the storage for its next message
      return resume_if_complete();
    case AwaitedPackets::Taking::duplicate:
      ++counters_.duplicate;
      break;
    case AwaitedPackets::Taking::not_awaited:
      file(key, packet);
      break;
  }
  return false;
}

template <class Scalar>
void MethodHost<Scalar>::file(const MessageKey& key, const PacketRef& packet) {
  switch (inbox_.file(key, packet)) {
    case Inbox::Filing::filed:
      break;
    case Inbox::Filing::duplicate:
      ++counters_.duplicate;
      break;
    case Inbox::Filing::overflow:
      ++counters_.overflow;
      break;
  }
}

template <class Scalar>
bool MethodHost<Scalar>::take_from_inbox() {
  if (phase_ != MethodPhase::needs_messages) return false;
  awaited_.take_from(inbox_);
  return resume_if_complete();
}

template <class Scalar>
bool MethodHost<Scalar>::depart_lost() {
  if (phase_ != MethodPhase::needs_messages) return false;
  neighbors_.depart_lost(awaited_, iteration_);
  return resume_if_complete();
}

template <class Scalar>
void MethodHost<Scalar>::close_round(HubRole& hub) {
  ensure(phase_ == MethodPhase::needs_messages, "a round is closed whose answers are awaited");
  awaited_.give_up_missing();
  iteration_.mix_by(hub.row_of(iteration_.mixing(), awaited_.senders()));
  iteration_.turn_to(iteration_.number() - 1);
  ++counters_.gossip_rounds;
  resume();
}

/// A malformed message is flagged even if the peer had diverged before.
template <class Scalar>
void MethodHost<Scalar>::report(CodecStatus status) {
  if (status == CodecStatus::ok) return;
  if (!divergence_) divergence_ = divergence_of(status, iteration_.number());
  if (status == CodecStatus::malformed) divergence_->malformed = true;
}

template class MethodHost<float>;
template class MethodHost<double>;

}  // namespace hearsay

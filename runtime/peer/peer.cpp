#include "runtime/peer/peer.hpp"

#include <algorithm>
#include <numeric>

#include "algorithms/arithmetic/reductions.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

template <class Scalar>
Peer<Scalar>::Peer(PeerInput<Scalar> input)
    : input_(std::move(input)),
      iteration_(*this, PeerRows(*input_.schedule, input_.id), input_.seed),
      answering_(input_.algorithm->answering()),
      gradient_(input_.algorithm->model().size()),
      inbox_(input_.schedule->peer_count(), input_.staleness),
      exchanges_(input_.patient_neighbors) {
  ensure(input_.evaluate_every > 0, "a run is evaluated every so many iterations");
  ensure(!answering_ || input_.checkpoint_every == 0,
         "what is under way between asynchronous peers is in no image");
  if (input_.weights_follow) meet_neighbors();
  if (input_.joins_at) {
    completed_ = input_.joins_at->iteration;
    last_verdict_ = input_.joins_at->last_verdict;
  }
  begin_replica_safety();
}

template <class Scalar>
void Peer<Scalar>::start() {
  ensure(state_ == PeerState::idle, "a peer is started once");
  if (completed_ == 0) return go_on_or_wait();
  if (says_again_) say_again();
  evaluate_or_go_on();
}

template <class Scalar>
void Peer<Scalar>::say_again() {
  for (std::uint64_t number = first_needed_in(completed_ + 1, input_.staleness); number <= completed_;
       ++number) {
    iteration_.begin(number, input_.step_size.at(number), input_.step_size.at(number));
    input_.algorithm->say_again(iteration_);
  }
}

template <class Scalar>
void Peer<Scalar>::checkpoint_taken() {
  ensure(state_ == PeerState::checkpoint_due, "a checkpoint was taken that was not due");
  evaluate_or_go_on();
}

template <class Scalar>
void Peer<Scalar>::evaluation_taken() {
  ensure(state_ == PeerState::evaluation_due, "an evaluation was taken that was not due");
  go_on_or_wait();
}

template <class Scalar>
bool Peer<Scalar>::checkpoint_is_due() const {
  if (input_.checkpoint_every == 0) return false;
  if (completed_ == input_.iterations) return true;
  // The first verdict that announces anything is that on the first evaluation.
  if (input_.checkpoint_every == as_announced && completed_ <= 2 * input_.evaluate_every) return false;
  return checkpoint_every() != 0 && completed_ % checkpoint_every() == 0;
}

template <class Scalar>
bool Peer<Scalar>::evaluation_is_due() const {
  return completed_ % input_.evaluate_every == 0 || completed_ == input_.iterations;
}

template <class Scalar>
bool Peer<Scalar>::owes_evaluation() const {
  return state_ == PeerState::evaluation_due || (state_ == PeerState::checkpoint_due && evaluation_is_due());
}

/// After an iteration and its checkpoint.
template <class Scalar>
void Peer<Scalar>::evaluate_or_go_on() {
  if (evaluation_is_due())
    state_ = PeerState::evaluation_due;
  else
    go_on_or_wait();
}

/// After an iteration (and its evaluation, where one was due): begins the next one, or waits for the verdict that must be
/// in before this peer may pass an evaluation.
template <class Scalar>
void Peer<Scalar>::go_on_or_wait() {
  if (completed_ >= input_.iterations) {
    state_ = PeerState::finished;
    return;
  }
  if (completed_ != 0 && completed_ % input_.evaluate_every == 0) {
    const std::uint64_t needed = completed_ - input_.evaluate_every;
    if (!unobserved_ && (!last_verdict_ || *last_verdict_ < needed)) {
      state_ = PeerState::needs_verdict;
      return;
    }
    if (stop_after_ && completed_ >= *stop_after_) {
      state_ = PeerState::finished;
      return;
    }
  }
  begin_iteration();
}

template <class Scalar>
void Peer<Scalar>::verdict(std::uint64_t evaluated, bool go_on, std::uint64_t checkpoint_every) {
  ensure(!last_verdict_ || *last_verdict_ < evaluated, "verdicts come in the order of the evaluations");
  last_verdict_ = evaluated;
  if (checkpoint_every != 0) announced_checkpoints_ = checkpoint_every;
  if (!go_on && !stop_after_) stop_after_ = evaluated + input_.evaluate_every;
  if (state_ == PeerState::needs_verdict) go_on_or_wait();
}

template <class Scalar>
void Peer<Scalar>::begin_iteration() {
  do {
    const std::uint64_t number = completed_ + 1;
    if (number >= holds_before()) {
      state_ = PeerState::needs_agreement;
      return;
    }
    iteration_.begin(number, input_.step_size.at(number),
                     input_.step_size.at(std::max<std::uint64_t>(completed_, 1)));
    if (neighborhood_ && !exchange_attachments()) return;
    if (begin_method()) return;
  } while (complete_iteration());
}

/// False where the peer sits the iteration out.
template <class Scalar>
bool Peer<Scalar>::begin_method() {
  minibatches_.reset();
  if (neighborhood_) mix_with_neighborhood();
  if (replica_watch_) guard_replicas();
  if (input_.may_sit_out && !iteration_.mixing().participates) return false;
  if (script_) script_->begin(iteration_.number());
  task_ = input_.algorithm->iterate(iteration_);
  resume();
  return true;
}

template <class Scalar>
void Peer<Scalar>::resume() {
  if (attaching_) return take_attachments();
  task_.resume();
  if (task_.done() && complete_iteration()) begin_iteration();
}

/// Whether the next iteration is to begin at once.
template <class Scalar>
bool Peer<Scalar>::complete_iteration() {
  ++completed_;
  packets_.clear();
  if (!divergence_ && !all_finite(view(model()))) diverge("the model left the finite range");
  if (divergence_) {
    state_ = PeerState::diverged;
    answer_joiners();
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
  if (script_) script_->add({ScriptStep::Kind::send, slot, to, packet->size()});
  outbox_.push_back({to,
                     {iteration_.number(), slot, input_.id},
                     packet,
                     {neighborhood_ ? neighborhood_->announced_degree() : 0, replica_digest_}});
  if (!told_.empty()) note_told(slot, to);
}

template <class Scalar>
std::span<const Index> Peer<Scalar>::all_samples() {
  if (all_samples_.empty()) {
    all_samples_.resize(static_cast<std::size_t>(input_.objective->sample_count()));
    std::iota(all_samples_.begin(), all_samples_.end(), Index{0});
  }
  return all_samples_;
}

template <class Scalar>
std::span<const Index> Peer<Scalar>::minibatch() {
  if (!input_.batch) return all_samples();
  if (!minibatches_) next_minibatch();
  return minibatch_;
}

template <class Scalar>
void Peer<Scalar>::next_minibatch() {
  if (!input_.batch) return;
  if (!minibatches_) minibatches_ = iteration_.random(Purpose::minibatch);
  minibatch_.clear();
  const auto count = static_cast<std::uint64_t>(input_.objective->sample_count());
  if (count == 0) return;
  for (std::uint64_t k = 0; k < *input_.batch; ++k)
    minibatch_.push_back(static_cast<Index>(minibatches_->below(count)));
}

template <class Scalar>
bool Peer<Scalar>::request_gradient(const Vector<Scalar>& x, std::span<const Index> samples) {
  if (script_) script_->add({.kind = ScriptStep::Kind::gradient, .amount = samples.size()});
  gradient_point_ = &x;
  gradient_samples_ = samples;
  state_ = PeerState::needs_gradient;
  return false;
}

template <class Scalar>
void Peer<Scalar>::compute_gradient() {
  ensure(state_ == PeerState::needs_gradient, "a gradient was computed that nobody asked for");
  counters_.gradient_evaluations += gradient_samples_.size();
  input_.objective->gradient(*gradient_point_, gradient_samples_, gradient_);
}

template <class Scalar>
double Peer<Scalar>::gradient_work() const {
  const std::size_t samples = gradient_samples_.size();
  const std::size_t usual = input_.batch ? *input_.batch : all_samples_.size();
  return samples == 0 ? 1.0 : static_cast<double>(samples) / static_cast<double>(usual);
}

template <class Scalar>
void Peer<Scalar>::gradient_arrived() {
  ensure(state_ == PeerState::needs_gradient, "a gradient arrived that nobody asked for");
  resume();
}

template <class Scalar>
bool Peer<Scalar>::request_packets(std::uint64_t number, Slot slot, std::span<const PeerId> senders) {
  if (script_)
    script_->add(
        {ScriptStep::Kind::wait, slot, 0, iteration_.number() - number, {senders.begin(), senders.end()}});
  wanted_iteration_ = number;
  wanted_slot_ = slot;
  wanted_senders_.assign(senders.begin(), senders.end());
  packets_.assign(senders.size(), {});
  missing_ = senders.size();
  if (answering_)
    missing_ = exchanges_.asking() ? 1 : 0;
  else
    for (std::size_t k = 0; k < senders.size(); ++k) {
      packets_[k] = inbox_.take({number, slot, senders[k]});
      if (packets_[k]) --missing_;
    }
  if (neighborhood_) depart_lost();
  if (missing_ == 0) {
    if (!answering_) ++counters_.gossip_rounds;
    return true;
  }
  state_ = PeerState::needs_messages;
  return false;
}

template <class Scalar>
void Peer<Scalar>::deliver(const MessageKey& key, const PacketRef& packet, const MessageMarks& marks) {
  if (answering_) return hear(key, packet);
  if (key.iteration < first_needed_in(completed_ + 1, input_.staleness) ||
      (neighborhood_ && neighborhood_->is_out(key))) {
    ++counters_.late;
    return;
  }
  if (neighborhood_ && marks.degree != 0)
    neighborhood_->hear_degree(key.sender, key.iteration + (key.slot == attach_slot ? 0 : 1), marks.degree);
  if (replica_watch_) {
    if (marks.replica_digest != 0) hear_digest(key, marks.replica_digest);
    if (key.slot == copy_slot) return hear_copy(key, packet);
  }
  if (state_ == PeerState::needs_messages && key.iteration == wanted_iteration_ && key.slot == wanted_slot_) {
    const auto wanted = std::lower_bound(wanted_senders_.begin(), wanted_senders_.end(), key.sender);
    if (wanted != wanted_senders_.end() && *wanted == key.sender) {
      PacketRef& place = packets_[static_cast<std::size_t>(wanted - wanted_senders_.begin())];
      if (place) {
        ++counters_.duplicate;
        return;
      }
      place = packet;
      if (--missing_ == 0) {
        ++counters_.gossip_rounds;
        resume();
      }
      return;
    }
  }
  file(key, packet);
}

template <class Scalar>
void Peer<Scalar>::file(const MessageKey& key, const PacketRef& packet) {
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

/// A message of an asynchronous method.
template <class Scalar>
void Peer<Scalar>::hear(const MessageKey& key, const PacketRef& packet) {
  const Exchanges::Heard heard = exchanges_.hear(key, packet);
  switch (heard) {
    case Exchanges::Heard::late:
      ++counters_.late;
      return;
    case Exchanges::Heard::duplicate:
      ++counters_.duplicate;
      return;
    case Exchanges::Heard::overflow:
      ++counters_.overflow;
      return;
    case Exchanges::Heard::reply:
      if (packet->size() == 0) break;  // its sender is busy, or has ended
      ++counters_.exchanges_asked;
      ++counters_.gossip_rounds;
      answering_->take_reply(iteration_, key.sender, packet);
      break;
    case Exchanges::Heard::busy:
      return reply(key, new_packet().seal());
    case Exchanges::Heard::request:
      break;
  }
  while (const auto request = exchanges_.next()) answer(*request);
  if (heard == Exchanges::Heard::reply && state_ == PeerState::needs_messages) resume();
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

template <class Scalar>
void Peer<Scalar>::reply(const MessageKey& request, PacketRef packet) {
  outbox_.push_back({request.sender, {request.iteration, reply_slot, input_.id}, std::move(packet)});
}

template <class Scalar>
void Peer<Scalar>::report(CodecStatus status) {
  switch (status) {
    case CodecStatus::ok:
      return;
    case CodecStatus::not_finite:
      return diverge("a message left the finite range");
    case CodecStatus::saturated:
      return diverge("a value left the finite range of its code");
    case CodecStatus::out_of_reach:
      return diverge(
          "the models of two neighbors are farther apart than their compressor reaches; "
          "expected a larger k or step in mod(k, step), or a smaller step size");
    case CodecStatus::malformed:
      diverge("a message came that does not fit the method");
      divergence_->malformed = true;
  }
}

template <class Scalar>
void Peer<Scalar>::diverge(std::string what) {
  if (!divergence_) divergence_ = Divergence{iteration_.number(), std::move(what)};
}

template <class Scalar>
std::vector<PeerId> Peer<Scalar>::waiting_for() const {
  std::vector<PeerId> missing;
  if (state_ == PeerState::needs_messages)
    for (std::size_t k = 0; k < packets_.size(); ++k)
      if (!packets_[k] && !(neighborhood_ && neighborhood_->lacks(wanted_senders_[k], iteration_.number())))
        missing.push_back(wanted_senders_[k]);
  return missing;
}

template class Peer<float>;
template class Peer<double>;

}  // namespace hearsay

#include "runtime/process/peer_driver.hpp"

#include <algorithm>

#include "runtime/network/compute_time.hpp"
#include "runtime/foundation/peak_memory.hpp"
#include "runtime/record/peer_outcome.hpp"
#include "runtime/record/json.hpp"
#include "runtime/zmq/clock.hpp"

namespace hearsay {

namespace {

constexpr Duration patience_of_the_interrupted = std::chrono::seconds(5);

}  // namespace

template <class Scalar>
PeerDriver<Scalar>::PeerDriver(const Experiment<Scalar>& experiment, PeerId id, PeerSockets& sockets,
                               SilenceWatch watch, const RunControl& control)
    : experiment_(experiment),
      control_(control),
      network_(network_of(experiment.settings, id)),
      sockets_(sockets),
      lost_after_(experiment.settings.failure.lost_after),
      id_(id),
      safe_(experiment, id),
      sending_(sending_rate(network_), experiment.settings.framing),
      watch_(std::move(watch)) {
  peer_ = make_peer(experiment, id, packets_, experiment.settings.failure.checkpoint_every);
}

template <class Scalar>
PeerEnd PeerDriver<Scalar>::run() {
  const PeerEnd end = drive();
  sockets_.carry_out();
  return end;
}

template <class Scalar>
PeerEnd PeerDriver<Scalar>::drive() {
  while (!started_ && !end_) receive();
  while (!stopped_ && !end_) {
    leave_if_interrupted();
    look_around();
    if (unobserved_) look_for_the_observer();
    send_outbox();
    switch (peer_->state()) {
      case PeerState::needs_gradient:
        take_gradient();
        break;
      case PeerState::checkpoint_due:
        keep();
        break;
      case PeerState::evaluation_due:
        tell_evaluation();
        peer_->evaluation_taken();
        break;
      case PeerState::idle:
      case PeerState::needs_messages:
      case PeerState::needs_verdict:
      case PeerState::needs_agreement:
        wait_for_others();
        break;
      case PeerState::finished:
      case PeerState::diverged:
        stopped_ = true;
        break;
    }
  }
  if (end_) return leave();
  if (peer_->owes_evaluation()) tell_evaluation();  // which may have come up just now
  sockets_.session().tell_observer({FrameKind::result, peer_->iteration(),
                                    encode_outcome(peer_outcome(*peer_, meters(), peak_memory_bytes()))});
  // Neighbors may still need what this peer sent; it leaves when all have ended.
  waits_since_ = monotonic_now();
  const std::optional<Instant> enough =
      interrupted_ ? std::optional(waits_since_ + patience_of_the_interrupted) : std::nullopt;
  while (!all_ended_ && !end_ && !unobserved_ && !(enough && monotonic_now() > *enough)) receive_and_answer();
  if (unobserved_ && !end_ && !interrupted_) return leave_unobserved();
  if (interrupted_) return {130, "interrupted"};
  if (end_) return leave();
  return {run_code_, run_code_ == 4 ? "the run diverged" : run_code_ == 130 ? "the run was interrupted" : ""};
}

template <class Scalar>
void PeerDriver<Scalar>::tell_evaluation() {
  if (unobserved_) return;  // nobody answers
  sockets_.session().tell_observer(
      {FrameKind::evaluation, peer_->iteration(), encode_snapshot(meters(), peer_->model())});
}

// What the session has heard, the peer has to know as well.
template <class Scalar>
void PeerDriver<Scalar>::keep() {
  take_in();
  if (end_) return;
  const SessionState state = sockets_.session().state();
  const PeerMeters& so_far = meters();
  compute([&] { safe_.save(*peer_, state, so_far); }, Meanwhile::serves);
  peer_->checkpoint_taken();
}

template <class Scalar>
void PeerDriver<Scalar>::take_gradient() {
  const Instant begin = monotonic_now();
  const bool is_emulated = network_.compute.kind != ComputeTime::Kind::measured;
  if (is_emulated || gradient_takes_s_ * peer_->gradient_work() >= seconds(worth_a_thread))
    compute([this, begin] { compute_gradient(begin); },
            experiment_.method->asynchronous ? Meanwhile::listens : Meanwhile::serves);
  else
    compute_gradient(begin);
  meters_.compute += gradient_ended_ - begin;
  peer_->gradient_arrived();
}

template <class Scalar>
void PeerDriver<Scalar>::compute_gradient(Instant begin) {
  peer_->compute_gradient();
  gradient_takes_s_ = seconds(monotonic_now() - begin) / peer_->gradient_work();
  const RunSettings& settings = experiment_.settings;
  const Duration takes = compute_time(network_.compute, settings.run.seed, peer_->id(), gradients_++,
                                      peer_->gradient_work(), Duration{0});
  if (takes > Duration{0}) sleep_until(begin + takes);
  gradient_ended_ = monotonic_now();
}

template <class Scalar>
void PeerDriver<Scalar>::compute(std::function<void()> work, Meanwhile meanwhile) {
  compute_thread_.begin(std::move(work));
  try {
    while (!compute_thread_.is_done()) {
      if (meanwhile == Meanwhile::listens) {
        receive(compute_thread_.done_fd());
        send_outbox();
      } else {
        watch_.look(monotonic_now());
        serve(monotonic_now() + look_around_every, compute_thread_.done_fd());
      }
    }
  } catch (...) {
    compute_thread_.wait();  // it uses what would be gone
    throw;
  }
  compute_thread_.end();
}

template <class Scalar>
void PeerDriver<Scalar>::send_outbox() {
  give_copies();
  if (peer_->outbox().empty()) return tell_progress();
  const Instant now = monotonic_now();
  for (Outgoing& outgoing : peer_->outbox()) {
    const std::uint64_t frame_bytes = header_bytes + outgoing.packet->size();
    meters_.count_sent(outgoing.to, frame_bytes);
    told_from_ = std::max(told_from_, outgoing.key.iteration);
    meters_.wire += sending_.of(now - origin_, frame_bytes);
    sockets_.session().send(std::move(outgoing), now);
  }
  peer_->outbox().clear();
  sockets_.carry_out();
}

template <class Scalar>
void PeerDriver<Scalar>::tell_progress() {
  const std::uint64_t needed_from = peer_->iteration() + 1;
  if (experiment_.method->asynchronous || needed_from <= told_from_) return;
  told_from_ = needed_from;
  sockets_.session().needs_from(first_needed_in(needed_from, staleness_of(experiment_.settings)));
}

template <class Scalar>
void PeerDriver<Scalar>::wait_for_others() {
  waits_since_ = monotonic_now();
  const PeerState awaited = peer_->state();
  if (awaited == PeerState::needs_messages) meters_.waits.begin(waits_since_);
  while (peer_->state() == awaited && peer_->outbox().empty() && !stopped_ && !end_) receive();
  meters_.wait += monotonic_now() - waits_since_;
}

template <class Scalar>
void PeerDriver<Scalar>::end_with(PeerEnd end) {
  if (!end_) end_ = std::move(end);
}

template <class Scalar>
void PeerDriver<Scalar>::leave_if_interrupted() {
  if (control_.is_asked_to_leave() && started_ && experiment_.settings.failure.bears_a_leave())
    return leave_alone();
  if (interrupted_ || !(control_.is_interrupted() || control_.is_asked_to_leave())) return;
  interrupted_ = stopped_ = true;
  sockets_.session().tell_observer({FrameKind::stop, peer_->iteration(), {}});
  if (!started_) end_with({130, "interrupted"});
}

template <class Scalar>
void PeerDriver<Scalar>::leave_alone() {
  if (leaves_alone_) return;
  leaves_alone_ = stopped_ = true;
  if (!drops())
    return end_with({130, "it was asked to end; started again with --resume within " + to_text(lost_after_) +
                              ", it goes on where it was"});
  for (const PeerId neighbor : partners_of(experiment_, id_).destinations)
    sockets_.session().obey(EdgeWish{EdgeWish::What::part, neighbor});
  sockets_.session().tell_observer({FrameKind::parted, peer_->iteration(), {}});
  end_with({130, "it was asked to end; the others go on without it"});
}

template <class Scalar>
PeerEnd PeerDriver<Scalar>::leave() {
  if (leaves_alone_) {
    end_->reason = "peer " + std::to_string(peer_->id()) + ": " + end_->reason;
    return *end_;
  }
  if (end_->exit_code == 130 && interrupted_)
    end_->reason = "peer " + std::to_string(peer_->id()) + " was interrupted";
  if (end_->exit_code != 0) sockets_.session().say_stop(end_->exit_code, end_->reason);
  return *end_;
}

template <class Scalar>
const PeerMeters& PeerDriver<Scalar>::meters() {
  meters_.now = monotonic_now() - origin_;
  meters_.counters = peer_->counters();
  const SocketCounters counters = sockets_.counters();
  meters_.garbage = earlier_.garbage + counters.garbage;
  meters_.refused = earlier_.refused + counters.refused;
  meters_.gaps = earlier_.gaps + counters.gaps;
  meters_.repeated = earlier_.repeated + counters.repeated;
  meters_.retransmitted = earlier_.retransmitted + counters.retransmitted;
  return meters_;
}

template class PeerDriver<float>;
template class PeerDriver<double>;

}  // namespace hearsay

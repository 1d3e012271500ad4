#include "runtime/simulator/virtual_process.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "runtime/checkpoint/replay.hpp"
#include "runtime/network/compute_time.hpp"
#include "runtime/participant/score.hpp"
#include "runtime/participant/session_input.hpp"
#include "runtime/record/evaluation_payload.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/peer_outcome.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

template <class Scalar>
void VirtualProcess<Scalar>::start(bool resumes) {
  ensure(!is_up(), "a place has one process at a time");
  ++life_;
  is_frozen_ = false;
  held_up_.clear();
  gradients_ = 0;
  archive_ = cluster_.host.archive_for(id_);
  ensure(archive_ || !resumes, "a process resumes from an archive");
  PeerSessionInput session =
      session_input(cluster_.experiment, agreement_, id_, incarnation(), true, cluster_.start_patience);
  session.piece_bytes = cluster_.piece_bytes;
  if (resumes) session.holds = archive_->holds();
  participant_ = std::make_unique<Participant<Scalar>>(
      ParticipantInput<Scalar>{
          .experiment = cluster_.experiment,
          .checkpoints = archive_ ? checkpoint_rule(cluster_.experiment.settings) : CheckpointRule{},
          .packets = packets_,
          .timeline = cluster_.timeline},
      std::move(session));
  participant_->session().begin(now());
  tick();
}

template <class Scalar>
void VirtualProcess<Scalar>::die() {
  participant_.reset();
  is_frozen_ = false;
  held_up_.clear();
}

template <class Scalar>
bool VirtualProcess<Scalar>::freeze() {
  if (!is_up() || is_frozen_) return false;
  is_frozen_ = true;
  return true;
}

template <class Scalar>
void VirtualProcess<Scalar>::thaw() {
  is_frozen_ = false;
  for (auto& happens : std::exchange(held_up_, {})) at(now(), std::move(happens));
}

// What happens to it.

template <class Scalar>
void VirtualProcess<Scalar>::at(Instant when, std::function<void()> happens) {
  cluster_.time.at(when, [this, life = life_, happens = std::move(happens)] {
    if (life_ == life) happen(happens);
  });
}

template <class Scalar>
void VirtualProcess<Scalar>::happen(std::function<void()> happens) {
  if (is_frozen_)
    held_up_.push_back(std::move(happens));
  else if (is_up())
    happens();
}

template <class Scalar>
void VirtualProcess<Scalar>::tick() {
  const Instant next = participant_->session().tick(now());
  go_on();
  if (!is_up()) return;
  const Instant again = participant_->look_again();
  wake(std::min({next, now() + poll_interval, again > now() ? again : Instant::max()}));
}

template <class Scalar>
void VirtualProcess<Scalar>::wake(Instant when) {
  wakes_at_ = when;
  at(when, [this, when] {
    if (wakes_at_ == when) tick();
  });
}

template <class Scalar>
void VirtualProcess<Scalar>::hear(PeerId from, const PeerFrame& word, std::optional<Instant> due) {
  PeerSession& session = participant_->session();
  if (word.way == PeerFrame::Way::reply) {
    session.hear_destination(from, word.header, word.payload);
    return go_on();
  }
  const std::span<const std::byte> payload = word.packet ? word.packet.bytes() : word.payload.bytes();
  const FrameHeader& head = word.header;
  if (session.hear_source(head, payload, now()) != FrameUse::data) return go_on();
  const WholeMessage whole = head.kind == FrameKind::message_piece
                                 ? session.take_whole()
                                 : WholeMessage{head, word.packet.packet, header_bytes + payload.size()};
  if (!due) release(whole);
  go_on();
  if (due) hold(whole, *due);
}

template <class Scalar>
void VirtualProcess<Scalar>::hold(const WholeMessage& message, Instant due) {
  at(due, [this, message] {
    at(cluster_.network.release(message.header.sender, id_, message.frame_bytes), [this, message] {
      release(message);
      go_on();
    });
  });
}

template <class Scalar>
void VirtualProcess<Scalar>::release(const WholeMessage& message) {
  const FrameHeader& head = message.header;
  participant_->session().release(
      {{head.iteration, head.slot, head.sender}, message.packet, {head.degree, head.replica_digest}});
}

template <class Scalar>
void VirtualProcess<Scalar>::hear_observer(const FrameHeader& header, std::span<const std::byte> payload) {
  participant_->session().hear_observer(header, payload, now());
  go_on();
}

template <class Scalar>
void VirtualProcess<Scalar>::go_on() {
  do {
    while (participant_->advance(now())) carry_out();
    carry_out();
  } while (begin_work());
  if (!is_up()) return cluster_.host.ended(*participant_);
  const Instant again = participant_->look_again();
  if (again > now() && again < wakes_at_) wake(again);
}

/// Does what the driver of a process does after every call.
template <class Scalar>
void VirtualProcess<Scalar>::carry_out() {
  for (const Heard& heard : participant_->heard()) archive_->hear(heard);
  participant_->heard().clear();
  for (const PeerNews& news : participant_->news()) {
    cluster_.host.hears(*participant_, news);
    if (news.kind == PeerNews::Kind::joins) gradients_ = participant_->peer().iteration();
  }
  participant_->news().clear();
  cluster_.host.went_on(*participant_);
  std::vector<PeerFrame> words;
  words.swap(participant_->session().outbox());
  for (PeerFrame& word : words) send_(std::move(word));
}

// Its work.

template <class Scalar>
bool VirtualProcess<Scalar>::begin_work() {
  const Work* const work = participant_->next_work(now());
  if (!work) return false;
  cluster_.host.begins_work(*participant_, *work);
  std::visit([this](const auto& wanted) { work_on(wanted); }, *work);
  carry_out();
  return true;
}

template <class Scalar>
void VirtualProcess<Scalar>::report_after(Duration takes, std::function<void()> report) {
  if (takes == Duration{0}) return report();
  at(now() + takes, [this, report = std::move(report)] {
    report();
    go_on();
  });
}

template <class Scalar>
void VirtualProcess<Scalar>::work_on(const RestorePeer& restore) {
  RestoredPeer<Scalar> restored = archive_->restored(restore.iteration, packets_);
  SessionState session =
      replay(cluster_.experiment, *restored.peer, std::move(restored.session), restored.log, restored.meters);
  gradients_ = restored.peer->iteration();
  participant_->restored(std::move(restored.peer), std::move(session), std::move(restored.meters), now());
}

template <class Scalar>
void VirtualProcess<Scalar>::work_on(const ComputeGradient& gradient) {
  if (has_failed([&] { participant_->peer().compute_gradient(); })) return;
  const RunSettings& settings = cluster_.experiment.settings;
  const Duration takes = compute_time(network_of(settings, id_).compute, settings.run.seed, id_, gradients_++,
                                      gradient.amount, cluster_.costs.gradient);
  const Instant start_of_run = *participant_->session().origin();
  const Duration began = now() - start_of_run;
  const Instant ready = start_of_run + availability_of(settings, id_).computed(takes, began);
  report_after(ready - now(),
               [this, began = now(), ready] { participant_->gradient_arrived(began, ready, now()); });
}

template <class Scalar>
void VirtualProcess<Scalar>::work_on(const TakeCheckpoint& checkpoint) {
  ensure(participant_->heard().empty(), "what the peer has heard is in the log before its checkpoint");
  archive_->save(participant_->peer(), checkpoint.session, participant_->meters(now()));
  participant_->checkpoint_taken(now());
}

template <class Scalar>
void VirtualProcess<Scalar>::work_on(const MakeEvaluation&) {
  std::vector<std::byte> payload;
  const bool failed = has_failed([&] {
    payload = evaluation_payload(cluster_.experiment.problem, cluster_.experiment.settings.run, id_,
                                 participant_->peer().told_model(), participant_->meters(now()));
  });
  if (!failed) participant_->evaluation_made(std::move(payload), now());
}

template <class Scalar>
void VirtualProcess<Scalar>::work_on(const ComputeScore& score) {
  std::optional<std::vector<std::byte>> answer;
  if (has_failed([&] { answer = answer_to(score.question, cluster_.experiment.problem, id_); })) return;
  report_after(cluster_.costs.score(), [this, answer] { participant_->scored(answer, now()); });
}

template <class Scalar>
void VirtualProcess<Scalar>::work_on(const MakeResult&) {
  participant_->result_made(encode_outcome(peer_outcome(participant_->peer(), participant_->meters(now()),
                                                        cluster_.costs.memory())),
                            now());
}

template <class Scalar>
void VirtualProcess<Scalar>::work_on(const KeepModel&) {
  participant_->model_kept("no file, since this is a simulation", now());
}

template class VirtualProcess<float>;
template class VirtualProcess<double>;

}  // namespace hearsay

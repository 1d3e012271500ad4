#include "runtime/process/peer_driver.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "runtime/checkpoint/replay.hpp"
#include "runtime/foundation/peak_memory.hpp"
#include "runtime/peer/peer.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/peer_outcome.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

template <class Scalar>
PeerDriver<Scalar>::PeerDriver(const Experiment<Scalar>& experiment, PeerId id, PeerSession& session,
                               PeerSockets& sockets, SilenceWatch watch, TrainingTraffic& traffic,
                               const RunControl& control)
    : experiment_(experiment),
      control_(control),
      session_(session),
      keeper_(experiment, id, control.notice),
      sending_(sending_rate(network_of(experiment.settings, id)), experiment.settings.framing),
      peer_(make_peer(experiment, id, packets_, checkpoint_rule(experiment.settings))),
      pump_(sockets),
      failure_detector_(std::move(watch), experiment.settings.failure.lost_after, sockets, control),
      meter_(session, sockets),
      timeline_(control.timeline, id),
      pace_(network_of(experiment.settings, id).compute, experiment.settings.run.seed, id),
      traffic_(traffic),
      round_clock_(experiment.settings.topology.round_deadline),
      scores_(experiment, id, session,
              [this](std::function<void()> work) { compute(std::move(work), Meanwhile::serves); }) {}

template <class Scalar>
PeerEnd PeerDriver<Scalar>::drive() {
  while (!has_started() && !end_) receive();
  while (stage_ == Stage::trains && !end_) {
    leave_if_interrupted();
    serve_sockets();
    if (failure_detector_.unobserved()) look_for_observer();
    send_outbox();
    answer_questions();
    act();
  }
  if (end_) return leave();
  if (peer_->owes_evaluation()) tell_evaluation();  // it may have become due in the last iteration
  session_.tell_observer({FrameKind::result, peer_->iteration(),
                          encode_outcome(peer_outcome(*peer_, meters(), peak_memory_bytes()))});
  // Neighbors may still need what this peer sent; it leaves when all have ended.
  const Instant ended = monotonic_now();
  failure_detector_.begin_wait(ended);
  const std::optional<Instant> enough =
      leaving_ == Leaving::interrupted ? std::optional(ended + patience_of_the_interrupted) : std::nullopt;
  while (!run_code_ && !end_ && !failure_detector_.unobserved() && !(enough && monotonic_now() > *enough)) {
    receive();
    answer_questions();
    if (peer_->has_ended()) send_outbox();  // refusals of requests and of joining peers
  }
  if (failure_detector_.unobserved() && !end_ && leaving_ != Leaving::interrupted) return leave_unobserved();
  if (leaving_ == Leaving::interrupted) return {130, "interrupted"};
  if (end_) return leave();
  const int code = run_code_.value_or(0);
  return {code, code == 4 ? "the run diverged" : code == 130 ? "the run was interrupted" : ""};
}

template <class Scalar>
void PeerDriver<Scalar>::act() {
  switch (peer_->state()) {
    case PeerState::needs_gradient:
      return take_gradient();
    case PeerState::checkpoint_due:
      return keep();
    case PeerState::evaluation_due:
      tell_evaluation();
      return peer_->evaluation_taken();
    case PeerState::idle:
    case PeerState::needs_messages:
    case PeerState::needs_verdict:
    case PeerState::needs_agreement:
    case PeerState::needs_copies:
      return wait_for_others();
    case PeerState::finished:
    case PeerState::diverged:
      return stop();
  }
}

template <class Scalar>
PeerEnd PeerDriver<Scalar>::leave_unobserved() {
  tell_progress();
  session_.say_what_it_needs();
  std::string file;
  try {
    compute([&] { file = keep_own_model(); }, Meanwhile::serves);
  } catch (const Misuse& misuse) {
    return {2, misuse.what()};
  }
  while (!end_ && leaving_ != Leaving::interrupted && session_.retains()) {
    for (const PeerId destination : partners_of(experiment_, id()).destinations)
      if (failure_detector_.is_lost(destination, monotonic_now()))
        part_from(destination, "it has said nothing for " + to_text(experiment_.settings.failure.lost_after));
    receive();
  }
  return {0, "it has ended without an observer, and its model is in " + file};
}

// The events are handed over first, so that peer and session are saved in states that fit each other.
template <class Scalar>
void PeerDriver<Scalar>::keep() {
  take_in();
  if (end_) return;
  const SessionState state = session_.state();
  const PeerMeters& so_far = meters();
  compute([&] { keeper_.save(*peer_, state, so_far); }, Meanwhile::serves);
  peer_->checkpoint_taken();
}

template <class Scalar>
void PeerDriver<Scalar>::take_gradient() {
  const Instant begin = monotonic_now();
  const double work = peer_->gradient_work();
  std::optional<ObjectiveFailure> failure;
  const auto gradient = [&] {
    failure = failure_of([&] { pace_.run(begin, work, [this] { peer_->compute_gradient(); }); });
  };
  // The time of a gradient that a program computes is not foreseen by the last one.
  if (experiment_.problem.at_home || pace_.is_long(work))
    compute(gradient, experiment_.method->asynchronous ? Meanwhile::delivers : Meanwhile::serves);
  else
    gradient();
  if (failure) {
    failure->when = "iteration " + std::to_string(peer_->iteration() + 1);
    return end_with_failure(*failure);
  }
  meter_.counts().compute += pace_.ended() - begin;
  timeline_.computes(begin, pace_.ended() - begin, peer_->iteration() + 1);
  peer_->gradient_arrived();
}

template <class Scalar>
void PeerDriver<Scalar>::compute(std::function<void()> work, Meanwhile meanwhile) {
  compute_thread_.begin(std::move(work));
  try {
    while (!compute_thread_.is_done()) {
      if (meanwhile == Meanwhile::delivers) {
        receive(compute_thread_.done_fd());
        send_outbox();
      } else {
        failure_detector_.look(monotonic_now());
        pump_.serve(monotonic_now() + poll_interval, compute_thread_.done_fd());
      }
    }
  } catch (...) {
    compute_thread_.wait();  // the work uses the caller's variables
    throw;
  }
  compute_thread_.end();
}

template <class Scalar>
void PeerDriver<Scalar>::send_outbox() {
  give_copies();
  if (peer_->standby_hub())
    if (const auto why = peer_->standby_hub()->take_word())
      control_.notice("peer " + std::to_string(id()) + " stands by for the hub no longer: " + *why);
  const Instant now = monotonic_now();
  round_clock_.note(peer_->begun(), now);
  if (peer_->outbox().empty()) return tell_progress();
  for (Outgoing& outgoing : peer_->outbox()) {
    const std::uint64_t frame_bytes = header_bytes + outgoing.packet->size();
    meter_.counts().count_sent(outgoing.to, frame_bytes);
    announced_from_ = std::max(announced_from_, outgoing.key.iteration);
    const Duration takes = sending_.of(meter_.since_begin(now), frame_bytes);
    meter_.counts().wire += takes;
    timeline_.sends(outgoing.key, outgoing.to, frame_bytes, sending_.through(), takes);
    session_.send(std::move(outgoing), now);
  }
  peer_->outbox().clear();
  pump_.carry_out();
}

template <class Scalar>
void PeerDriver<Scalar>::wait_for_others() {
  if (close_round_if_due()) return;
  const Instant since = monotonic_now();
  failure_detector_.begin_wait(since);
  const PeerState awaited = peer_->state();
  if (awaited == PeerState::needs_messages) meter_.counts().waits.begin(since);
  timeline_.waits(since, peer_->iteration() + 1, awaited == PeerState::needs_messages);
  const TrainingTraffic::Wait wait(traffic_, awaited == PeerState::needs_messages);
  while (peer_->state() == awaited && peer_->outbox().empty() && stage_ == Stage::trains && !end_) {
    receive();
    answer_questions();
    close_round_if_due();
  }
  const Instant now = monotonic_now();
  meter_.counts().wait += now - since;
  timeline_.wait_ends(now);
}

template <class Scalar>
void PeerDriver<Scalar>::receive(int also) {
  failure_detector_.look(monotonic_now());
  if (take_in()) return;
  leave_if_interrupted();
  Instant until = std::min(failure_detector_.look_again(), monotonic_now() + poll_interval);
  if (peer_->may_close_round()) until = std::min(until, round_clock_.over_at());
  pump_.serve(until, also);
  if (!take_in()) check_deadlines();
}

template <class Scalar>
void PeerDriver<Scalar>::on(const ResumeFrom& resume) {
  // All begin: this peer as if it had not been told to resume. It writes nothing before the run starts.
  if (resume.iteration == 0)
    return session_.resume({first_needed_in(1, staleness_of(experiment_.settings)), {}, {}, {}, {}});
  try {
    SessionState state{};
    compute(
        [&] {
          RestoredPeer<Scalar> restored = keeper_.restored(resume.iteration, packets_);
          peer_ = std::move(restored.peer);
          state = replay(experiment_, *peer_, std::move(restored.session), restored.log,
                         meter_.resume_from(restored.meters));
        },
        Meanwhile::serves);
    session_.resume(std::move(state));
    pace_.resume_at(peer_->iteration());
    stage_ = Stage::restored;
  } catch (const Misuse& misuse) {
    end_with({2, misuse.what()});
  } catch (const std::exception& thrown) {  // an objective that is asked again
    end_with({3, "peer " + std::to_string(id()) + " could not be restored: " + thrown.what()});
  }
}

template <class Scalar>
void PeerDriver<Scalar>::on(RunStops& stops) {
  stop();
  if (stops.reason.empty() && !has_started()) {  // the others end by themselves
    leaving_ = Leaving::left_behind;
    if (stops.exit_code == 130) stops.reason = "the run was interrupted";
    return end_with({stops.exit_code, std::move(stops.reason)});
  }
  if (!stops.reason.empty()) end_with({stops.exit_code, std::move(stops.reason)});
}

/// This peer joins the run: a new peer with a neighbor's model replaces the one that was made.
template <class Scalar>
void PeerDriver<Scalar>::on(const ModelArrived& arrived) {
  const auto model = model_of<Scalar>(arrived.model, experiment_.problem.dimension());
  if (!model)
    return end_with({3, "peer " + std::to_string(arrived.from) + " told a model that is not finite"});
  peer_ = make_joining_peer(experiment_, id(), packets_, arrived.entry, *model);
  pace_.resume_at(arrived.entry.iteration);
  control_.notice("peer " + std::to_string(id()) + " joins at iteration " +
                  std::to_string(arrived.entry.iteration) + ", with the model of peer " +
                  std::to_string(arrived.from));
}

template <class Scalar>
void PeerDriver<Scalar>::hear(const DataArrived& data) {
  meter_.counts().bytes_received += header_bytes + data.packet->size();
  keeper_.hear(data.key, data.packet);
  const std::uint64_t rounds = peer_->counters().gossip_rounds;
  const Instant came = monotonic_now();
  peer_->deliver(data.key, data.packet, data.metadata);
  if (peer_->counters().gossip_rounds == rounds) return;
  meter_.counts().waits.ended_by(data.key.sender, came, peer_->state() == PeerState::needs_messages);
  timeline_.wait_ended_by(data.key.sender, came);
}

template <class Scalar>
void PeerDriver<Scalar>::leave_if_interrupted() {
  const bool has_others = has_started() || control_.resumes;  // that can go on, or wait for its successor
  if (control_.is_asked_to_leave() && has_others && experiment_.settings.failure.survives_a_leave() &&
      !run_ends_without_this())
    return leave_alone();
  if (leaving_ == Leaving::stays && (control_.is_interrupted() || control_.is_asked_to_leave())) interrupt();
}

template <class Scalar>
void PeerDriver<Scalar>::end_with_failure(const ObjectiveFailure& failure) {
  if (failure.asks_to_stop) return interrupt();
  const std::string how = "its objective failed in " + failure.when + ": " + failure.what;
  if (has_started() && drops_failed_program() && !run_ends_without_this()) {
    control_.notice("peer " + std::to_string(id()) + ": " + how + "; the others go on without it");
    return leave_others({3, how}, how);
  }
  end_with({3, "peer " + std::to_string(id()) + ": " + how});
}

template <class Scalar>
void PeerDriver<Scalar>::check_deadlines() {
  if (!has_started()) {  // the deadlines before the start are the session's
    if (control_.observer_is_gone()) end_with({3, "the observer was gone before the run began"});
    return;
  }
  const Instant now = monotonic_now();
  const std::vector<PeerId> awaited = peer_->waiting_for();
  const SilenceWatch::Judgement judgement = failure_detector_.judge(now, peer_->iteration() + 1, awaited);
  if (judgement.word) control_.notice(*judgement.word);
  for (const SilenceWatch::Lost& lost : judgement.lost) {
    if (drops() && is_hub(lost.id) && !peer_->survives_hub())
      lose_hub(lost.how);
    else if (drops())
      part_from(lost.id, lost.how);
    else
      end_with({3, "peer " + std::to_string(lost.id) + " was lost: " + lost.how + " (iteration " +
                       std::to_string(peer_->iteration() + 1) + ")"});
  }
  if (peer_->state() == PeerState::needs_agreement && failure_detector_.has_waited_too_long(now)) {
    if (peer_->lacks_hub()) return lose_hub("it has gone on without this peer");
    // A neighbor that does not answer an offer in time is lost again.
    for (const PeerId neighbor : peer_->offered()) part_from(neighbor, "it does not answer");
  }
  judge_hub_with_standby(now);
  if (awaited.empty()) judge_observer(now);
}

template <class Scalar>
void PeerDriver<Scalar>::part_from(PeerId neighbor, const std::string& why) {
  if (!drops() || !peer_->deals_with(neighbor)) return;
  if (!has_started()) {
    leaving_ = Leaving::left_behind;
    return end_with(
        {3, "peer " + std::to_string(neighbor) + " has gone on without peer " + std::to_string(id()) +
                (id() == observer_peer ? ", which kept the record of the run, and cannot join it anew"
                                       : ", and " + experiment_.method->name + " cannot be joined")});
  }
  const auto what_follows = [&]() -> std::string {
    if (!is_hub(neighbor)) return " goes on without peer ";
    if (!peer_->survives_hub()) return " waits for the hub, peer ";
    if (peer_->standby_hub()) return " takes over from the hub, peer ";
    return " waits for peer " + std::to_string(*experiment_.settings.failure.hub_standby) +
           " to take over from the hub, peer ";
  };
  const std::uint64_t iteration =
      peer_->standby_hub() && is_hub(neighbor) ? peer_->standby_hub()->round() : peer_->iteration() + 1;
  if (!peer_->has_lost(neighbor))
    control_.notice("peer " + std::to_string(id()) + what_follows() + std::to_string(neighbor) +
                    " (iteration " + std::to_string(iteration) + "): " + why);
  const std::uint64_t rounds = peer_->counters().gossip_rounds;
  const bool loses_hub = is_hub(neighbor);
  send_edge_request(respond(*peer_, PeerDeparted{neighbor, why}));
  if (loses_hub && peer_->awaits_standby()) failure_detector_.begin_wait(monotonic_now());
  if (peer_->counters().gossip_rounds != rounds)  // the peer had waited for this neighbor alone
    meter_.counts().waits.ended_by(neighbor, monotonic_now(), peer_->state() == PeerState::needs_messages);
  if (peer_->is_deserted()) end_as_replaced();
}

template <class Scalar>
void PeerDriver<Scalar>::leave_alone() {
  if (drops())
    return leave_others({130, "it was asked to end; the others go on without it"}, "it was asked to end");
  if (std::exchange(leaving_, Leaving::alone) == Leaving::alone) return;
  stop();
  end_with({130, "it was asked to end; started again with --resume within " +
                     to_text(experiment_.settings.failure.lost_after) + ", it goes on where it was"});
}

template <class Scalar>
void PeerDriver<Scalar>::leave_others(PeerEnd end, const std::string& why) {
  if (std::exchange(leaving_, Leaving::alone) == Leaving::alone) return;
  stop();
  for (const PeerId neighbor : partners_of(experiment_, id()).destinations)
    session_.send_edge_request({.what = EdgeRequest::What::leave, .neighbor = neighbor, .why = why});
  session_.tell_observer({FrameKind::parted, peer_->iteration(), SharedBytes(std::as_bytes(std::span(why)))});
  end_with(std::move(end));
}

template <class Scalar>
PeerEnd PeerDriver<Scalar>::leave() {
  const std::string self = "peer " + std::to_string(id());
  if (leaving_ == Leaving::alone) {
    end_->reason = self + ": " + end_->reason;
    end_->run_goes_on = drops();
    return *end_;
  }
  if (end_->exit_code == 130 && leaving_ == Leaving::interrupted)
    end_->reason = self + " was interrupted" + (has_started() ? "" : " before the run began");
  if (end_->exit_code != 0 && leaving_ != Leaving::left_behind)
    session_.say_stop(end_->exit_code, end_->reason);
  return *end_;
}

template class PeerDriver<float>;
template class PeerDriver<double>;

}  // namespace hearsay

#include "runtime/participant/ending.hpp"

#include "runtime/settings/run_settings.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

template <class Scalar>
void Ending<Scalar>::interrupt() {
  if (part_.leaving != Leaving::stays) return;
  part_.leaving = Leaving::interrupted;
  // Before the start nobody has a result to send: all end at once, with the sentence of last_word().
  if (!part_.has_started()) return part_.end_with({130, "interrupted"});
  part_.stop();
  part_.session.tell_observer({FrameKind::stop, part_.peer->iteration(), {}});
}

template <class Scalar>
void Ending<Scalar>::leave() {
  const bool has_others = part_.has_started() || part_.input.is_awaited;  // that go on, or wait
  if (!has_others || !part_.failure().survives_a_leave() || run_ends_without_this()) return interrupt();
  if (part_.drops())
    leave_others({130, "it was asked to end; the others go on without it"}, "it was asked to end");
  else if (part_.begin_to_leave_alone())
    part_.end_with({130, "it was asked to end; started again with --resume within " +
                             to_text(part_.failure().lost_after) + ", it goes on where it was"});
}

template <class Scalar>
void Ending<Scalar>::fail(const ObjectiveFailure& failure, const std::string& when) {
  // A program that has asked for the end is gone when the next question comes, an evaluation's.
  if (failure.asks_to_stop || part_.leaving == Leaving::interrupted) return interrupt();
  const std::string how = "its objective failed in " + when + ": " + failure.what;
  if (part_.has_started() && drops_failed_program() && !run_ends_without_this()) {
    part_.tell_user(PeerNews::Kind::leaves, part_.id(),
                    part_.self() + ": " + how + "; the others go on without it");
    return leave_others({3, how}, how);
  }
  part_.end_with({3, part_.self() + ": " + how});
}

template <class Scalar>
void Ending<Scalar>::hear(RunStops& stops) {
  part_.stop();
  if (stops.reason.empty() && !part_.has_started()) {  // the others end by themselves
    part_.leaving = Leaving::left_behind;
    if (stops.exit_code == 130) stops.reason = "the run was interrupted";
    return part_.end_with({stops.exit_code, std::move(stops.reason)});
  }
  if (!stops.reason.empty()) part_.end_with({stops.exit_code, std::move(stops.reason)});
}

template <class Scalar>
void Ending<Scalar>::hear(const EveryPeerEnded& ended) {
  if (!part_.has_started()) part_.end_with({3, "the run ended before " + part_.self() + " could join it"});
  run_code_ = ended.exit_code;
}

template <class Scalar>
void Ending<Scalar>::linger() {
  ensure(part_.phase == Phase::concludes, "a result is told once, after the training");
  part_.phase = Phase::lingers;
  part_.detector.begin_wait(part_.now);
  if (part_.leaving == Leaving::interrupted) lingers_until_ = part_.now + patience_of_the_interrupted;
}

template <class Scalar>
std::optional<PeerEnd> Ending<Scalar>::settle() {
  if (part_.phase == Phase::keeps_model) return std::nullopt;  // whatever comes, its model is kept first
  if (part_.phase == Phase::hands_over) {
    if (!part_.end && part_.leaving != Leaving::interrupted && part_.session.retains()) return std::nullopt;
    return PeerEnd{0, "it has ended without an observer, and its model is in " + kept_};
  }
  if (part_.leaving == Leaving::interrupted && has_waited_enough()) return PeerEnd{130, "interrupted"};
  if (part_.end) return last_word();
  if (part_.phase == Phase::lingers && part_.detector.unobserved()) {
    part_.tell_progress();
    part_.session.say_what_it_needs();
    part_.phase = Phase::keeps_model;
  } else if (part_.phase == Phase::lingers && run_code_) {
    const bool was_interrupted = *run_code_ == 130;
    return PeerEnd{*run_code_, *run_code_ == 4   ? "the run diverged"
                               : was_interrupted ? "the run was interrupted"
                                                 : ""};
  }
  return std::nullopt;
}

/// True if an interrupted peer, which has told its result, need not stay for the others.
template <class Scalar>
bool Ending<Scalar>::has_waited_enough() const {
  return part_.phase == Phase::lingers &&
         (part_.end || run_code_ || part_.detector.unobserved() || part_.now > lingers_until_);
}

/// Policy "drop": this process leaves as `end` says, and the others go on without it. `why`: a clause, told
/// to neighbors and observer.
template <class Scalar>
void Ending<Scalar>::leave_others(PeerEnd end, const std::string& why) {
  if (!part_.begin_to_leave_alone()) return;
  for (const PeerId neighbor : part_.session.input().destinations)
    part_.session.send_edge_request({.what = EdgeRequest::What::leave, .neighbor = neighbor, .why = why});
  part_.tell_observer_that_it_leaves(why);
  part_.end_with(std::move(end));
}

/// True if the others cannot go on without this process, which is the hub.
template <class Scalar>
bool Ending<Scalar>::run_ends_without_this() const {
  return part_.drops() && part_.is_hub(part_.id()) && !part_.failure().hub_standby;
}

template <class Scalar>
bool Ending<Scalar>::drops_failed_program() const {
  return part_.drops() && has_programs(part_.experiment().settings) &&
         part_.failure().program == RunSettings::Failure::Program::drop;
}

/// Says to the others why this peer ends, unless it leaves alone. They tell their own neighbors in turn, so
/// all know it even without an observer.
template <class Scalar>
PeerEnd Ending<Scalar>::last_word() {
  PeerEnd end = *part_.end;
  if (part_.leaving == Leaving::alone) {
    end.reason = part_.self() + ": " + end.reason;
    end.run_goes_on = part_.drops();
    return end;
  }
  if (end.exit_code == 130 && part_.leaving == Leaving::interrupted)
    end.reason = part_.self() + " was interrupted" + (part_.has_started() ? "" : " before the run began");
  if (end.exit_code != 0 && part_.leaving != Leaving::left_behind)
    part_.session.say_stop(end.exit_code, end.reason);
  return end;
}

template class Ending<float>;
template class Ending<double>;

}  // namespace hearsay

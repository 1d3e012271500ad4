#include "runtime/session/observer_link.hpp"

#include <algorithm>
#include <utility>

#include "runtime/wire/numbers.hpp"
#include "runtime/wire/words_from_observer.hpp"
#include "runtime/wire/words_to_observer.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

/// A peer does not pass an evaluation before the verdict on the previous one has come. So at most two
/// evaluations are unacknowledged, the last one of the run, as many answers, and the result.
constexpr std::size_t most_unacknowledged = 8;

FrameHeader& say_to_observer(FrameKind kind, SessionContext& context, SharedBytes payload = {}) {
  return context.say(PeerFrame::Way::observer, observer_peer, kind, std::move(payload));
}

void say_report(const Report& report, SessionContext& context) {
  say_to_observer(report.kind, context, report.payload).iteration = report.iteration;
}

template <ControlWord Word>
void say_to_observer(const Word& word, SessionContext& context, SharedBytes payload = {}) {
  context.say(PeerFrame::Way::observer, observer_peer, word, std::move(payload));
}

}  // namespace

std::string ObserverLink::name_of_speaker(const FrameHeader& head) {
  return is_from_observer(head) ? "the observer" : "peer " + std::to_string(head.sender);
}

std::string ObserverLink::name(const SessionContext& context) {
  const std::string& address = context.input.observer_address;
  return address.empty() ? "the observer" : "the observer (" + address + ")";
}

void ObserverLink::greet(SessionContext& context, std::uint64_t challenge) const {
  using State = to_observer::Hello::State;
  State state = State::begins;
  if (context.has_started() || restored_) state = State::is_under_way;
  if (context.phase == SessionPhase::restoring || waits_at_checkpoint(context)) state = State::resumes;
  say_to_observer(to_observer::Hello{context.input.iterations, state, challenge}, context, context.hello);
}

void ObserverLink::say_ready(SessionContext& context) const {
  if (context.phase == SessionPhase::entering)
    say_to_observer(FrameKind::join, context);
  else
    say_to_observer(to_observer::Ready{.last_verdict = last_verdict_}, context);
}

void ObserverLink::say_for_whom_it_waits(const std::string& whom, SessionContext& context) const {
  if (welcomed_)
    say_to_observer(to_observer::Ready{.still_waits = true}, context,
                    SharedBytes(std::as_bytes(std::span(whom))));
}

void ObserverLink::show_life(SessionContext& context) {
  const ObserverContact contact{context.has_started() ? std::optional(turns_) : std::nullopt};
  ++beats_.own;
  say_to_observer(to_observer::Alive{contact, last_verdict_, beats_}, context,
                  encode_numbers(being_answered_));
}

/// Names `all_resume_from_` alone, once it is known: another observer may ask again after the first one has
/// died, and must come to the same checkpoint.
void ObserverLink::say_what_it_holds(SessionContext& context) const {
  ensure(all_resume_from_ || context.input.holds, "a peer that resumes says what it holds");
  const std::vector<std::uint64_t> holds =
      all_resume_from_ ? std::vector{*all_resume_from_} : *context.input.holds;
  say_to_observer(FrameKind::holds, context, encode_numbers(holds));
}

void ObserverLink::say_again(Kept& kept, SessionContext& context) const {
  kept.sent = sent_now();
  say_report(kept.report, context);
}

void ObserverLink::tell(Report report, SessionContext& context) {
  say_report(report, context);
  if (report.kind == FrameKind::answer) std::erase(being_answered_, report.iteration);
  const bool is_kept = report.kind == FrameKind::evaluation || report.kind == FrameKind::answer ||
                       report.kind == FrameKind::result;
  if (!is_kept) return;
  // More than that are kept only while a peer runs without the observer; the oldest one is not needed then.
  if (unacknowledged_.size() == most_unacknowledged) unacknowledged_.erase(unacknowledged_.begin());
  unacknowledged_.push_back({std::move(report), sent_now()});
}

void ObserverLink::tell_unacknowledged(SessionContext& context) {
  for (Kept& kept : unacknowledged_) say_again(kept, context);
}

void ObserverLink::tell_again(SessionContext& context) {
  const bool restores = context.phase == SessionPhase::restoring;
  if (restores || waits_at_checkpoint(context)) say_what_it_holds(context);
  if (!context.is_ready()) return;
  say_ready(context);
  tell_unacknowledged(context);
}

FrameUse ObserverLink::hear(const FrameHeader& head, std::span<const std::byte> payload,
                            SessionContext& context) {
  switch (head.kind) {
    case FrameKind::alive:
      hear_alive(head, payload, context);
      return FrameUse::words;
    case FrameKind::again:
      greet(context, from_observer::as_again(head).challenge);
      return FrameUse::words;
    case FrameKind::welcome:
      welcomed_ = true;
      answers_instead_.clear();
      tell_again(context);
      return FrameUse::words;
    case FrameKind::resume:
      hear_resume(head, context);
      return FrameUse::words;
    case FrameKind::verdict:
      hear_verdict(head, context);
      return FrameUse::words;
    case FrameKind::question:
      hear_question(head, payload, context);
      return FrameUse::words;
    case FrameKind::bye:
      answer_last_word(context);
      context.events.push_back(EveryPeerEnded{from_observer::as_bye(head).exit_code});
      return FrameUse::words;
    default:
      return FrameUse::garbage;
  }
}

/// Sends again what the observer lacks, though it has heard a later heartbeat of this peer.
void ObserverLink::hear_alive(const FrameHeader& head, std::span<const std::byte> payload,
                              SessionContext& context) {
  if (!context.has_started()) others_await_ = printable_text(payload);
  using State = from_observer::Alive::State;
  const from_observer::Alive alive = from_observer::as_alive(head);
  if (alive.state == State::is_busy) return;
  beats_.heard = alive.beats.own;
  if (!context.is_ready()) return;
  for (Kept& kept : unacknowledged_) {
    const Report& report = kept.report;
    if (report.kind == FrameKind::answer) continue;  // the observer asks again
    const bool is_lacked = report.kind == FrameKind::result ? alive.state == State::lacks_result
                                                            : report.iteration > alive.newest_evaluation;
    if (is_lacked && kept.sent.is_settled(alive.beats.heard)) say_again(kept, context);
  }
}

void ObserverLink::answer_last_word(SessionContext& context) { say_to_observer(FrameKind::bye, context); }

void ObserverLink::hear_resume(const FrameHeader& head, SessionContext& context) {
  if (told_where_to_resume_) return;
  told_where_to_resume_ = true;
  const std::optional<std::uint64_t> from = from_observer::as_resume(head).checkpoint();
  if (context.phase == SessionPhase::restoring) context.events.push_back(ResumeFrom{from});
  if (from) all_resume_from_ = from;
}

void ObserverLink::hear_verdict(const FrameHeader& head, SessionContext& context) {
  // A peer that has no state yet ignores verdicts: the observer repeats the last ones once the peer is ready.
  const bool has_no_state =
      context.phase == SessionPhase::restoring || context.phase == SessionPhase::joining;
  const from_observer::Verdict verdict = from_observer::as_verdict(head);
  if (has_no_state || (last_verdict_ && verdict.evaluated <= *last_verdict_)) return;
  last_verdict_ = verdict.evaluated;
  std::erase_if(unacknowledged_, [&](const Kept& kept) {
    return kept.report.kind != FrameKind::result && kept.report.iteration <= verdict.evaluated;
  });
  context.events.push_back(VerdictArrived{verdict.evaluated, verdict.proceed, verdict.announced});
}

/// A question that comes again asks for the answer to be sent again, or comes while it is computed.
void ObserverLink::hear_question(const FrameHeader& head, std::span<const std::byte> payload,
                                 SessionContext& context) {
  const bool has_verdict = last_verdict_ && head.iteration <= *last_verdict_;
  if (!context.is_ready() || has_verdict) return;
  for (Kept& kept : unacknowledged_)
    if (kept.report.kind == FrameKind::answer && kept.report.iteration == head.iteration)
      return say_again(kept, context);
  if (std::ranges::find(being_answered_, head.iteration) != being_answered_.end()) return;
  being_answered_.push_back(head.iteration);
  context.events.push_back(ScoreAsked{head.iteration, {payload.begin(), payload.end()}});
}

void ObserverLink::save(SessionState& state) const {
  state.last_verdict = last_verdict_;
  for (const Kept& kept : unacknowledged_) state.unacknowledged_reports.push_back(kept.report);
}

void ObserverLink::restore(SessionState& state) {
  ensure(!restored_ && unacknowledged_.empty(), "a peer is restored once, before it reports anything");
  restored_ = true;
  last_verdict_ = state.last_verdict;
  for (Report& report : std::exchange(state.unacknowledged_reports, {}))
    unacknowledged_.push_back({std::move(report), sent_now()});
}

}  // namespace hearsay

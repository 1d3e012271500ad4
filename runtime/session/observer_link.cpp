#include "runtime/session/observer_link.hpp"

#include <algorithm>

#include "runtime/foundation/little_endian.hpp"

namespace hearsay {

namespace {

/// A peer does not pass an evaluation before the verdict on the previous one has come. So at most two
/// evaluations are unacknowledged, the last one of the run, and the result.
constexpr std::size_t most_unacknowledged = 4;

FrameHeader& say_to_observer(FrameKind kind, SessionContext& context,
                             std::span<const std::byte> payload = {}) {
  return context.say(PeerWord::Way::observer, observer_peer, kind, payload);
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
  FrameHeader& head = say_to_observer(FrameKind::hello, context, context.hello);
  head.iteration = context.input.iterations;
  head.sequence = challenge;
  head.slot = context.phase == SessionPhase::restoring || waits_at_checkpoint(context) ? 1
              : context.has_started() || restored_                                     ? 2
                                                                                       : 0;
}

void ObserverLink::say_ready(SessionContext& context) const {
  const bool joins = context.phase == SessionPhase::entering;
  say_to_observer(joins ? FrameKind::join : FrameKind::ready, context).sequence = to_sequence(last_verdict_);
}

void ObserverLink::say_for_whom_it_waits(const std::string& whom, SessionContext& context) const {
  if (welcomed_) say_to_observer(FrameKind::ready, context, std::as_bytes(std::span(whom))).slot = 1;
}

void ObserverLink::show_life(SessionContext& context) const {
  FrameHeader& head = say_to_observer(FrameKind::alive, context);
  head.slot = context.has_started() ? 1 + turns_ : 0;
  head.sequence = to_sequence(last_verdict_);
}

/// Names `all_resume_from_` alone, once it is known: another observer may ask again after the first one has
/// died, and must come to the same checkpoint.
void ObserverLink::say_what_it_holds(SessionContext& context) const {
  const std::vector<std::uint64_t> holds =
      all_resume_from_ ? std::vector{*all_resume_from_} : *context.input.holds;
  std::vector<std::byte> payload(8 * holds.size());
  for (std::size_t k = 0; k < holds.size(); ++k)
    store_little_endian(holds[k], std::span(payload).subspan(8 * k, 8));
  say_to_observer(FrameKind::holds, context, payload);
}

void ObserverLink::say(const Told& told, SessionContext& context) {
  say_to_observer(told.kind, context, told.payload).iteration = told.iteration;
}

void ObserverLink::tell(Told told, SessionContext& context) {
  say(told, context);
  if (told.kind != FrameKind::evaluation && told.kind != FrameKind::result) return;
  // More than that are kept only while a peer runs without the observer; the oldest one is not needed then.
  if (unacknowledged_.size() == most_unacknowledged) unacknowledged_.erase(unacknowledged_.begin());
  unacknowledged_.push_back(std::move(told));
}

void ObserverLink::tell_unacknowledged(SessionContext& context) const {
  for (const Told& told : unacknowledged_) say(told, context);
}

void ObserverLink::tell_again(SessionContext& context) const {
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
      greet(context, head.sequence);
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
    case FrameKind::bye:
      context.events.push_back(EveryPeerEnded{head.slot == 4 ? 4 : head.slot == 130 ? 130 : 0});
      return FrameUse::words;
    default:
      return FrameUse::garbage;
  }
}

/// Sends again what the observer lacks, once three of its heartbeats in a row show that. One heartbeat is not
/// enough: it may have left before the frame came.
void ObserverLink::hear_alive(const FrameHeader& head, std::span<const std::byte> payload,
                              SessionContext& context) {
  if (!context.has_started()) others_await_ = printable_text(payload);
  if (head.slot == 2) return;
  const bool lacks = std::ranges::any_of(unacknowledged_, [&](const Told& told) {
    return told.kind == FrameKind::result ? head.slot == 0 : told.iteration > head.iteration;
  });
  lacks_ = lacks ? lacks_ + 1 : 0;
  if (lacks_ < 3) return;
  lacks_ = 0;
  tell_again(context);
}

void ObserverLink::hear_resume(const FrameHeader& head, SessionContext& context) {
  if (told_where_to_resume_) return;
  told_where_to_resume_ = true;
  const std::optional<std::uint64_t> from = head.slot == 0 ? std::optional(head.iteration) : std::nullopt;
  if (context.phase == SessionPhase::restoring) context.events.push_back(ResumeFrom{from});
  if (from) all_resume_from_ = from;
}

void ObserverLink::hear_verdict(const FrameHeader& head, SessionContext& context) {
  // A peer that has no state yet ignores verdicts: the observer repeats the last ones once the peer is ready.
  const bool has_no_state =
      context.phase == SessionPhase::restoring || context.phase == SessionPhase::joining;
  if (has_no_state || (last_verdict_ && head.iteration <= *last_verdict_)) return;
  last_verdict_ = head.iteration;
  std::erase_if(unacknowledged_, [&](const Told& told) {
    return told.kind == FrameKind::evaluation && told.iteration <= head.iteration;
  });
  context.events.push_back(VerdictArrived{head.iteration, head.slot == 1, head.sequence});
}

void ObserverLink::save(SessionState& state) const {
  state.last_verdict = last_verdict_;
  state.untold = unacknowledged_;
}

void ObserverLink::restore(SessionState& state) {
  restored_ = true;
  last_verdict_ = state.last_verdict;
  unacknowledged_ = std::move(state.untold);
}

}  // namespace hearsay

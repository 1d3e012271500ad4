#include "runtime/session/entrance.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "runtime/wire/words_to_neighbor.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

std::vector<PeerId> present(const std::vector<PeerId>& ids, const std::vector<PeerId>& absent) {
  std::vector<PeerId> rest;
  std::ranges::set_difference(ids, absent, std::back_inserter(rest));
  return rest;
}

bool waits(const SessionContext& context) {
  return !context.has_started() && context.phase != SessionPhase::failed;
}

}  // namespace

Entrance::Entrance(const PeerSessionInput& input)
    : greetings_(present(input.sources, input.absent), present(input.destinations, input.absent)),
      wait_(input.start_patience) {}

void Entrance::begin(SessionContext& context) {
  const bool resumes = context.input.holds.has_value();
  wait_.begin(context.now, resumes);
  if (resumes) context.phase = SessionPhase::restoring;
}

bool Entrance::resume(Duration age, SessionContext& context) {
  if (context.phase == SessionPhase::failed) return false;  // the peer was not restored in time
  ensure(context.phase == SessionPhase::restoring, "a session resumes from a checkpoint once");
  context.phase = SessionPhase::greeting;
  wait_.greet(context.now);
  age_at_checkpoint_ = age;
  return true;
}

// Handshakes.

bool Entrance::do_without(PeerId departed, const std::string& how, const SessionContext& context) {
  const auto known = std::ranges::find(departed_before_start_, departed, &PeerDeparted::id);
  if (context.comes_later() || known != departed_before_start_.end()) return false;
  departed_before_start_.push_back({departed, how});
  greetings_.do_without(departed);
  return true;
}

bool Entrance::completes_greetings(SessionContext& context) {
  const bool greets = context.phase == SessionPhase::greeting && !context.comes_later();
  if (!greets || !greetings_.complete()) return false;
  context.phase = SessionPhase::ready;
  return true;
}

// Policy "drop": a run that goes on without this peer.

bool Entrance::join(PeerId neighbor, SessionContext& context) {
  if (context.phase == SessionPhase::failed) return false;
  if (joining_) {
    joining_->add(neighbor);
    return false;
  }
  ensure(!context.has_started(), "a peer that trains joins no run");
  joining_.emplace(neighbor, context);
  context.phase = SessionPhase::joining;
  wait_.join(context.now);
  return true;
}

FrameUse Entrance::take_model(const FrameHeader& head, std::span<const std::byte> payload,
                              SessionContext& context) {
  const to_neighbor::Model model = to_neighbor::as_model(head);
  if (!joining_ || !Joining::fits(model, payload.size(), context.input)) return FrameUse::garbage;
  if (context.phase != SessionPhase::joining) return FrameUse::words;  // another neighbor was faster
  context.phase = SessionPhase::entering;
  wait_.enter(context.now);
  context.next_needed = model.iteration + 1;
  context.events.push_back(
      ModelArrived{head.sender, {model.iteration, model.last_verdict}, {payload.begin(), payload.end()}});
  return FrameUse::data;
}

// The start.

bool Entrance::start(const from_observer::Start& start, Instant now, SessionContext& context) {
  const PeerSessionInput& input = context.input;
  const bool may_start = context.phase == SessionPhase::ready || context.phase == SessionPhase::entering ||
                         (context.phase == SessionPhase::greeting && !context.comes_later());
  if (!may_start) return false;
  if (start.iterations != input.iterations) {
    context.fail(2, "peer 0 runs " + std::to_string(start.iterations) + " iterations, peer " +
                        std::to_string(input.self) + " " + std::to_string(input.iterations) +
                        "; give both the same run.iterations");
    return false;
  }
  ensure(!origin_, "a run starts once");
  context.phase = SessionPhase::running;
  const Instant origin = input.same_machine ? start.origin : now - start.age;  // no common clock
  origin_ = std::min(origin, now - age_at_checkpoint_.value_or(now - origin));
  context.events.push_back(RunStarts{*origin_});
  for (PeerDeparted& departed : std::exchange(departed_before_start_, {}))
    context.events.push_back(std::move(departed));
  return true;
}

// Waiting.

Instant Entrance::deadline(const SessionContext& context) const {
  return waits(context) ? wait_.deadline(context.is_ready()) : Instant::max();
}

void Entrance::check_deadline(SessionContext& context, const OutgoingLinks& outgoing,
                              const ObserverLink& observer) {
  if (!waits(context)) return;
  const StartReport before = report(context, outgoing, observer);
  if (context.now >= deadline(context)) context.fail(3, before.missing() + wait_.doubt());
  if (const auto so_far = wait_.word_due(context.now))
    context.events.push_back(StillWaits{before.awaited(), *so_far});
}

}  // namespace hearsay

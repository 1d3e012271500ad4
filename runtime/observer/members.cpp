#include "runtime/observer/members.hpp"

#include <algorithm>
#include <utility>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

Members::Members(const ObserverInput& input, Chronicle& chronicle)
    : chronicle_(chronicle),
      lost_after_(input.failure.lost_after),
      join_later_(input.failure.join_later),
      members_(input.peer_count),
      stalls_(lost_after_) {
  for (const PeerId id : join_later_) members_[id].standing = Standing::lost;
}

bool Members::all_have_ended() const {
  const auto any_is = [this](Standing standing) {
    return std::ranges::find(members_, standing, &Member::standing) != members_.end();
  };
  if (any_is(Standing::member)) return false;
  return any_is(Standing::finished) || any_is(Standing::killed) || !any_is(Standing::detached);
}

bool Members::all_are_lost() const {
  return std::ranges::all_of(members_,
                             [](const Member& member) { return member.standing == Standing::lost; });
}

bool Members::only_one_left(PeerId id) const {
  if (is_lost(id)) return false;
  for (PeerId other = 0; other < members_.size(); ++other)
    if (other != id && !is_lost(other)) return false;
  return true;
}

void Members::lose(PeerId id) {
  ensure(!is_lost(id) && !has_finished(id), "a peer is lost once, and not after its result");
  if (!is_gone(id)) chronicle_.note(RunEvent::What::lost, id);
  members_[id].standing = Standing::lost;
}

void Members::detach(PeerId id) {
  ensure(!is_lost(id) && !has_finished(id), "a peer that detaches takes part");
  if (!is_gone(id)) chronicle_.note(RunEvent::What::lost, id);
  members_[id].standing = Standing::detached;
}

void Members::take_back(PeerId id, std::uint64_t iteration) {
  ensure(is_gone(id), "a peer that comes back was gone");
  members_[id].standing = Standing::member;
  ++returned_;
  chronicle_.note(RunEvent::What::returned, id, iteration);
}

void Members::take_in(PeerId id, Instant now, std::uint64_t iteration) {
  ensure(!has_finished(id), "nobody joins as a peer that has sent its result");
  members_[id] = {.joined = true, .heard_at = now};
  chronicle_.note(RunEvent::What::joined, id, iteration);
}

void Members::finish(PeerId id, const PeerOutcome& outcome) {
  ensure(!is_gone(id) && !has_finished(id), "a peer that takes part sends one result");
  members_[id].standing = Standing::finished;
  members_[id].outcome = outcome;
}

void Members::expect_no_result(PeerId id) {
  ensure(members_[id].standing == Standing::member, "a result is expected of members only");
  members_[id].standing = Standing::killed;
}

void Members::note_end(PeerId id) {
  ensure(has_finished(id), "a peer leaves after its result, or is lost");
  members_[id].has_left = true;
}

RunResult Members::conclude(const EvaluationSchedule& schedule, const Evaluator& evaluator) const {
  std::vector<PeerOutcome> outcomes;
  Duration last{0};
  for (PeerId id = 0; id < members_.size(); ++id) {
    PeerOutcome& outcome = outcomes.emplace_back(members_[id].outcome);
    if (is_gone(id) || members_[id].standing == Standing::killed) {
      outcome.gone = true;
      outcome.iterations = schedule.evaluated(id);
      outcome.meters = evaluator.last_meters()[id];
    }
    last = std::max(last, outcome.meters.now);
  }
  RunResult result = evaluator.conclude(std::move(outcomes));
  result.seconds = seconds(last);
  result.dropped = dropped();
  result.joined = joined();
  result.returned = returned_;
  result.events = events();
  return result;
}

/// With the standby that took over: it says so in its result, and does not say when. The hub was lost then.
std::vector<RunEvent> Members::events() const {
  std::vector<RunEvent> events = chronicle_.events();
  const auto is_loss_of_hub = [](const RunEvent& event) {
    return event.what == RunEvent::What::lost && event.peer == hub_id;
  };
  const auto last = std::find_if(events.rbegin(), events.rend(), is_loss_of_hub);
  if (last == events.rend() || !is_gone(hub_id)) return events;
  for (PeerId id = 0; id < members_.size(); ++id)
    if (const auto iteration = members_[id].outcome.took_over_in) {
      events.insert(last.base(), {RunEvent::What::took_over, id, *iteration, last->seconds});
      break;
    }
  return events;
}

/// Returns the peers that the run dropped and that did not come back.
std::vector<PeerId> Members::dropped() const {
  std::vector<PeerId> ids;
  for (PeerId id = 0; id < members_.size(); ++id) {
    const bool never_came = !members_[id].joined && std::ranges::binary_search(join_later_, id);
    if (is_gone(id) && !never_came) ids.push_back(id);
  }
  return ids;
}

std::vector<PeerId> Members::joined() const {
  std::vector<PeerId> ids;
  for (PeerId id = 0; id < members_.size(); ++id)
    if (members_[id].joined) ids.push_back(id);
  return ids;
}

void Members::note_heard_all(Instant now) {
  for (Member& member : members_) member.heard_at = now;
}

std::optional<PeerId> Members::silent_peer(Instant now) const {
  for (PeerId id = 0; id < members_.size(); ++id) {
    const bool is_awaited = !is_lost(id) && !has_finished(id) && members_[id].standing != Standing::killed;
    if (is_awaited && silence_of(id, now) > lost_after_) return id;
  }
  return std::nullopt;
}

Duration Members::silence_of(PeerId id, Instant now) const {
  return now - std::max(members_[id].heard_at, stalls_.last_end());
}

}  // namespace hearsay

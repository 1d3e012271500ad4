#include "runtime/supervision/supervisor.hpp"

#include <cstring>

#include "runtime/foundation/peer_name.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

/// Nobody listens there: the address of a peer that is gone before the run begins.
constexpr const char* nowhere = "tcp://127.0.0.1:1";
/// What the kernel would say of a process that somebody has killed (SIGKILL).
constexpr ProcessEnd killed{ProcessEnd::By::outside, 9};

bool is_address(const std::string& text) { return text.starts_with("tcp://") || text.starts_with("ipc://"); }

}  // namespace

Supervisor::Policy Supervisor::policy_of(const RunSettings::Failure& failure) {
  if (failure.drops()) return Policy::drop;
  return failure.keeps_checkpoints() ? Policy::restore : Policy::end;
}

std::optional<Supervisor::Decision> Supervisor::next_decision() {
  if (decisions_.empty()) return std::nullopt;
  const Decision next = std::move(decisions_.front());
  decisions_.pop_front();
  return next;
}

// The start of a run.

void Supervisor::note_silence(PeerId id, Duration silence) {
  ensure(awaits_address_of(id), "only of a child that comes up an address is awaited");
  if (silence <= terms_.lost_after + time_to_come_up) return;
  lose(id, name_of(id) + " was lost: it has said nothing for " + to_text(silence));
  decisions_.push_back(End{id});  // it would never know where the others are
}

std::optional<std::string> Supervisor::cannot_begin() const {
  if (terms_.policy == Policy::drop || losses_.empty()) return std::nullopt;
  return losses_.front().how;
}

void Supervisor::tell_addresses(const std::string& observer) {
  addresses_.clear();
  for (const Child& child : children_) addresses_ += child.address + "\n";
  addresses_ += observer + "\n";
  for (PeerId id = 0; id < peer_count(); ++id)
    if (listens_to(id)) decisions_.push_back(TellAddresses{id});
}

// Children.

void Supervisor::hear(PeerId id, std::string text) {
  Child& child = children_[id];
  ensure(listens_to(id), "a child that says something has a process");
  if (text == at_work) return;
  if (is_address(text)) {
    if (child.phase != Phase::coming_up) return;
    child.address = std::move(text);
    child.phase = Phase::up;
    child.was_up = true;
  } else if (text == ended_well && !addresses_.empty()) {
    let_go_on(id);
    child.phase = Phase::ended;
  } else if (text.starts_with(cannot_come_back)) {
    text.erase(0, std::strlen(cannot_come_back));
    if (can_go_back()) return end_all(id, text);
    await_end(id, std::move(text));
  } else {
    await_end(id, std::move(text));
  }
}

/// It has said its last words, and would never end if it stood still.
void Supervisor::let_go_on(PeerId id) {
  if (children_[id].phase == Phase::frozen) decisions_.push_back(Thaw{id});
}

void Supervisor::await_end(PeerId id, std::string reason) {
  let_go_on(id);
  children_[id].phase = Phase::ending;
  children_[id].words = std::move(reason);
  decisions_.push_back(AwaitEnd{id});
}

void Supervisor::note_end(PeerId id, std::optional<ProcessEnd> end) {
  Child& child = children_[id];
  switch (child.phase) {
    case Phase::ending:
      return end_by_itself(id, end);
    case Phase::felled:
      child.phase = Phase::down;
      child.words = how_it_ended(id, {}, end.value_or(killed));
      if (!child.is_awaited) losses_.push_back({id, child.words});
      return;
    default:
      ensure(child.phase == Phase::lost, "the end of this child was awaited");
  }
}

/// Or somebody has killed it who is not its parent.
void Supervisor::end_by_itself(PeerId id, const std::optional<ProcessEnd>& end) {
  Child& child = children_[id];
  const std::string reason = std::move(child.words);
  const ProcessEnd known = end.value_or(reason.empty() ? killed : ProcessEnd{});
  child.words = how_it_ended(id, reason, known);
  const bool was_killed = reason.empty() && known.by == ProcessEnd::By::outside;
  if (was_killed && comes_back(child))
    return start(id, Cause::outside_kill, run_has_begun_ || terms_.resumes);
  const bool is_first =
      child.life == 1 && !child.joins_anew;  // a later one may come after the end of the run
  const bool is_misuse = is_first && !reason.empty() && known.by == ProcessEnd::By::exit && known.number == 2;
  if (is_misuse) decisions_.push_back(Refuse{name_of(id) + ": " + reason});
  // The run goes on as before, and nobody else would tell it.
  if (child.joins_anew && !child.was_up)
    notice_(reason.empty() ? child.words : name_of(id) + " did not join: " + reason);
  lose(id, child.words, why_it_left(id, reason));
}

void Supervisor::start(PeerId id, Cause cause, bool resumes) {
  children_[id].phase = Phase::starting;
  children_[id].cause = cause;
  decisions_.push_back(Start{id, resumes});
}

void Supervisor::note_started(PeerId id) {
  Child& child = children_[id];
  ensure(child.phase == Phase::starting, "a child that was started was to be started");
  const bool resumes = child.cause != Cause::fault || resumes_after_fault(child);
  child.phase = Phase::coming_up;
  child.joins_anew = !resumes;
  child.was_up = false;
  ++child.life;
  if (child.cause == Cause::go_back) return;
  restarts_ += resumes;
  if (!addresses_.empty()) decisions_.push_back(TellAddresses{id});
  if (child.cause == Cause::fault) return;
  ++child.restarts;
  notice_(name_of(id) + (run_has_begun_ ? " was killed; it comes back from its checkpoint"
                                        : " was killed before the run began; it is started again"));
}

void Supervisor::note_not_started(PeerId id) {
  Child& child = children_[id];
  ensure(child.phase == Phase::starting, "a child that was not started was to be started");
  child.phase = Phase::lost;
  switch (child.cause) {
    case Cause::outside_kill:
      return lose(id, child.words);
    case Cause::fault:
      notice_(name_of(id) + (child.life > 0 ? " was not started again" : " was not started"));
      if (child.is_awaited) lose(id, child.words);
      return;
    case Cause::go_back:
      decisions_.push_back(Refuse{"this machine gives out no more processes for " + name_of(id)});
  }
}

void Supervisor::note_end_of_starter() {
  terms_.can_start = false;
  notice_("the process that starts peers anew was killed; another peer that is killed ends the run");
}

void Supervisor::lose(PeerId id, std::string how, std::string to_others) {
  children_[id].phase = Phase::lost;
  if (addresses_.empty()) children_[id].address = nowhere;
  losses_.push_back({id, std::move(how), std::move(to_others)});
}

std::optional<LostPeer> Supervisor::next_loss() {
  if (losses_.empty()) return std::nullopt;
  LostPeer next = std::move(losses_.front());
  losses_.pop_front();
  return next;
}

void Supervisor::end_all(PeerId because_of, std::string why) {
  notice_(name_of(because_of) + " cannot come back alone (" + why +
          "); all peers go back to a checkpoint of all");
  have_to_go_back_ = true;
  for (PeerId id = 0; id < peer_count(); ++id) {
    Child& child = children_[id];
    if (!listens_to(id) && child.phase != Phase::ended) continue;
    child.phase = Phase::felled;
    child.is_awaited = true;
    decisions_.push_back(End{id});
  }
  losses_.push_back({{}, std::move(why)});
}

void Supervisor::go_back() {
  have_to_go_back_ = run_has_begun_ = false;
  terms_.resumes = true;
  addresses_.clear();
  ++go_backs_;
  for (PeerId id = 0; id < peer_count(); ++id) {
    children_[id].restarts = 0;
    if (children_[id].phase != Phase::absent) start(id, Cause::go_back, true);
  }
}

// Faults.

bool Supervisor::end_by_fault(PeerId id, bool comes_back) {
  Child& child = children_[id];
  if (!listens_to(id)) return false;
  child.phase = Phase::felled;
  child.is_awaited = comes_back && terms_.policy == Policy::restore;
  decisions_.push_back(End{id});
  return true;
}

bool Supervisor::start_by_fault(PeerId id) {
  const Child& child = children_[id];
  if (!terms_.can_start || (child.phase != Phase::down && child.phase != Phase::absent)) return false;
  start(id, Cause::fault, resumes_after_fault(child));
  return true;
}

std::optional<int> Supervisor::freeze(PeerId id) {
  Child& child = children_[id];
  if (child.phase != Phase::coming_up && child.phase != Phase::up) return std::nullopt;
  child.phase = Phase::frozen;
  decisions_.push_back(Freeze{id});
  return child.life;
}

void Supervisor::thaw(PeerId id, int life) {
  Child& child = children_[id];
  if (child.phase != Phase::frozen || child.life != life) return;
  child.phase = Phase::up;
  decisions_.push_back(Thaw{id});
}

}  // namespace hearsay

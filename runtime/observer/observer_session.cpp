#include "runtime/observer/observer_session.hpp"

#include <algorithm>

#include "runtime/record/json.hpp"
#include "runtime/wire/numbers.hpp"
#include "runtime/wire/stop.hpp"
#include "runtime/wire/words_from_observer.hpp"
#include "runtime/wire/words_to_observer.hpp"

namespace hearsay {

namespace {

using Standing = Members::Standing;
using HelloState = to_observer::Hello::State;
using AliveState = from_observer::Alive::State;

constexpr Duration patience_after_stop = std::chrono::seconds(5);
/// More than a peer can miss while it is away: it is at most two evaluations past its last verdict.
constexpr std::size_t verdicts_told_again = 4;

}  // namespace

ObserverSession::ObserverSession(ObserverInput input, Evaluator& evaluator, Instant now,
                                 const RunRecord& earlier)
    : input_(std::move(input)),
      evaluator_(evaluator),
      words_(run_id(input_.agreement)),
      claims_(input_, words_),
      start_(input_, claims_),
      schedule_(input_, evaluator, earlier),
      members_(input_),
      inquiry_(schedule_, members_, words_, input_.peer_count),
      start_deadline_(now + input_.start_patience),
      next_heartbeat_(now + heartbeat_interval(input_.failure.lost_after)) {
  members_.note_heard_all(now);
}

void ObserverSession::hear(const FrameHeader& header, std::span<const std::byte> payload, Instant now,
                           const std::string& host) {
  if (header.kind == FrameKind::hello) return answer_hello(header, payload, now, host);
  const PeerId sender = header.sender;
  if (header.run_id != words_.run_id() || sender >= input_.peer_count) return;
  if (closing_ == Closing::parting) return hear_after_last_word(header, now);
  if (header.kind == FrameKind::join) return take_in(header, now);
  if (header.kind == FrameKind::alive) note_detachment(sender, to_observer::as_alive(header).contact, now);
  if (members_.is_gone(sender) && (header.kind != FrameKind::alive || !take_back(header, now))) return;
  if (!claims_.is_holder(header)) {  // a hello from it would be answered
    // A peer repeats these frames with every heartbeat, before the run and in it.
    if (header.kind == FrameKind::alive || header.kind == FrameKind::holds || header.kind == FrameKind::ready)
      words_.say(sender, FrameKind::again).only_to = header.incarnation;
    return;
  }
  members_[sender].heard_at = now;
  switch (header.kind) {
    case FrameKind::ready: {
      const to_observer::Ready ready = to_observer::as_ready(header);
      if (ready.still_waits) return start_.note_waiting(sender, printable_text(payload));
      return take_ready(sender, ready.last_verdict, now);
    }
    case FrameKind::holds:
      return take_holds(sender, payload);
    case FrameKind::alive:
      return take_alive(header, payload, now);
    case FrameKind::evaluation:
      if (started()) settle(schedule_.take(header, payload));
      return;
    case FrameKind::answer:
      return take_answer(header, payload);
    case FrameKind::result:
      return take_result(sender, payload);
    case FrameKind::parted:
      members_[sender].misses_hub = input_.has_hub && sender != hub_id && payload.empty();
      return lose_peer(sender, "peer " + std::to_string(sender) + " has left", "it " + how_it_left(payload));
    case FrameKind::stop:
      return take_stop(header, payload, now);
    default:
      return;
  }
}

void ObserverSession::answer_hello(const FrameHeader& hello, std::span<const std::byte> payload, Instant now,
                                   const std::string& host) {
  if (turning_away_) {
    if (to_observer::as_hello(hello).state == HelloState::is_under_way ||
        turning_away_->tell(hello.sender, words_))
      closing_ = Closing::over;
    return;
  }
  if (!claims_.accepts(hello, payload)) return;
  if (closing_ == Closing::parting) return answer_late_hello(hello);
  // Under policy "drop", once the run has begun, another process with the same id is a new peer.
  const bool is_new_peer = members_.is_gone(hello.sender) || (started() && drops());
  if (!is_new_peer && claims_.must_wait(hello, payload, now, host)) return;
  members_[hello.sender].heard_at = now;  // its silence begins here, however late it comes
  admit(hello, payload, host);
}

void ObserverSession::answer_late_hello(const FrameHeader& hello) {
  const PeerId sender = hello.sender;
  if (claims_.is_holder(hello)) return farewell_->say(sender);
  if (!started()) return farewell_->say(sender, hello.incarnation);  // it is late, and hears what all heard
  if (to_observer::as_hello(hello).state != HelloState::resumes || loss_) {
    words_.say(sender, FrameKind::refuse, "the run has ended").only_to = hello.incarnation;
  } else {
    words_.say(sender, stop_of_a_successor()).only_to = hello.incarnation;
    forget(sender);
  }
}

void ObserverSession::admit(const FrameHeader& hello, std::span<const std::byte> payload,
                            const std::string& host) {
  const PeerId sender = hello.sender;
  const bool is_successor = claims_.is_taken(hello);
  claims_.note_host(hello, host);
  if (is_successor && started() && drops())
    lose_peer(sender, "peer " + std::to_string(sender) + " was started anew");
  if (members_.is_gone(sender)) return welcome_joiner(hello, payload);
  claims_.welcome(hello, payload);  // not ready: the process may be a restarted one
  const HelloState state = to_observer::as_hello(hello).state;
  members_[sender].beat = 0;
  start_.note_welcome(sender, state == HelloState::resumes);
  if (closing_ != Closing::open && started() && start_.resumes(sender)) {
    words_.say(sender, stop_of_a_successor());
    return expect_no_results_of_killed_peers();
  }
  words_.say(sender, FrameKind::welcome);
  if (progress_ == Progress::gathering)
    for (const PeerId gone : start_.lost())
      words_.say(sender, from_observer::Departed{gone, incarnation_of(gone)});
  if (state == HelloState::is_under_way) mark_under_way();
  choose_checkpoint();
}

/// Welcomes a peer that the run has gone on without; its neighbors tell it how to come back or join.
void ObserverSession::welcome_joiner(const FrameHeader& hello, std::span<const std::byte> payload) {
  if (!input_.may_be_joined) {
    words_.say(hello.sender, FrameKind::refuse,
               "the run has gone on without peer " + std::to_string(hello.sender) +
                   " (failure.policy = \"drop\"), and " + input_.method + " cannot be joined");
    return;
  }
  if (!claims_.is_holder(hello)) claims_.welcome(hello, payload);
  words_.say(hello.sender, FrameKind::welcome);
}

/// Chooses the checkpoint to resume from, once all are here and if none is in the middle of the run.
void ObserverSession::choose_checkpoint() {
  if (progress_ != Progress::gathering || !start_.can_choose()) return;
  if (!start_.choose(schedule_.record())) return lose(start_.why_none(schedule_.record()), 2);
  schedule_.resume_from(*start_.resumed_from());
  for (PeerId id = 0; id < input_.peer_count; ++id)
    if (start_.resumes(id)) say_resume(id);
}

void ObserverSession::take_ready(PeerId sender, std::optional<std::uint64_t> last_verdict, Instant now) {
  claims_.mark_ready(sender);
  schedule_.note_verdicts_known(sender, last_verdict);
  if (started()) return start_peer(sender, now);
  if (!start_.is_blocked()) begin(now);
}

void ObserverSession::begin(Instant now) {
  if (const auto refusal = claims_.objection_to_samples()) return lose(*refusal, 2);
  if (const auto refusal = schedule_.bridge_lost_evaluations()) return lose(*refusal, 2);
  progress_ = Progress::started;
  // The time of a resumed run goes on. A peer whose checkpoint is later knows it better (PeerSession).
  origin_ = now - std::chrono::round<Duration>(std::chrono::duration<double>(schedule_.seconds_before()));
  members_.note_heard_all(now);
  for (PeerId id = 0; id < input_.peer_count; ++id)
    if (!members_.is_gone(id)) start_peer(id, now);
}

void ObserverSession::start_peer(PeerId id, Instant now) {
  words_.say(id, from_observer::Start{input_.iterations, origin_, now - origin_});
  for (const Verdict& verdict : schedule_.last_verdicts(verdicts_told_again)) say_verdict(id, verdict);
  inquiry_.ask(id, beat_);
}

void ObserverSession::take_alive(const FrameHeader& alive, std::span<const std::byte> payload, Instant now) {
  const auto [contact, last_verdict, beats] = to_observer::as_alive(alive);
  members_[alive.sender].beat = beats.own;
  if (contact.has_begun()) mark_under_way();
  // A peer sends heartbeats to the observer only once it is ready.
  if (!claims_.is_ready(alive.sender)) return take_ready(alive.sender, last_verdict, now);
  const bool lacks_verdict = last_verdict < schedule_.last_judged();
  if (started() && (!contact.has_begun() || lacks_verdict)) return start_peer(alive.sender, now);
  if (started()) inquiry_.note_alive(alive.sender, beats.heard, decode_numbers(payload), beat_);
}

void ObserverSession::take_result(PeerId sender, std::span<const std::byte> payload) {
  if (members_.has_finished(sender)) return;
  const std::optional<PeerOutcome> outcome = decode_outcome(payload);
  // If an earlier evaluation was lost, the peer will send it again, and the result after it.
  if (!outcome || (!outcome->divergence && !schedule_.has_sent_all(sender, outcome->iterations))) return;
  members_[sender].outcome = *outcome;
  members_[sender].standing = Standing::finished;
  if (outcome->divergence) stop();
  end_if_all_have();
}

void ObserverSession::take_stop(const FrameHeader& header, std::span<const std::byte> payload, Instant now) {
  const int exit_code = as_stop(header).exit_code;
  // The `stop` of a process that was refused in the middle of the run does not count.
  if (progress_ != Progress::gathering && !claims_.is_ready(header.sender) && (exit_code == 2 || drops()))
    return;
  const std::string reason = printable_text(payload);
  payload.empty() || exit_code == 130 ? interrupt(now, reason) : lose(reason, exit_code);
  if (!payload.empty()) note_end_of(header.sender);
}

void ObserverSession::lose_peer(PeerId id, const std::string& how, const std::string& to_others) {
  if (closing_ == Closing::parting) return forget(id);
  if (!over() && !members_.is_lost(id) && goes_on_without_a_peer())
    for (PeerId other = 0; other < input_.peer_count; ++other) {
      if (other == id || members_.is_gone(other)) continue;
      // The incarnation says which process has ended: its successor may be running already.
      words_.say(other, from_observer::Departed{id, incarnation_of(id)}, to_others);
    }
  do_without(id, how);
}

void ObserverSession::do_without(PeerId id, const std::string& how) {
  if (members_.is_lost(id) || over()) return;
  if (!goes_on_without_a_peer()) {
    if (interrupted_) return note_end_of(id);  // the run ends already, and this is not why
    lose(how);
    return forget(id);
  }
  if (members_.has_finished(id)) {  // it had sent its result
    members_[id].has_left = true;
    return;
  }
  if (is_last_hub(id)) return lose_hub(how);
  members_[id].standing = Standing::lost;
  if (!started()) start_.do_without(id);
  say_verdicts(schedule_.drop(id));
  if (members_.all_are_lost()) return lose("all peers were lost");
  if (input_.has_hub && members_.only_one_left(hub_id))
    return members_[id].misses_hub ? lose_hub("peer 0 was lost: no worker hears it")
                                   : lose("all workers were lost");
  inquiry_.ask_what_is_new(beat_);
  end_if_all_have();
}

/// Handles a heartbeat of a peer that has run without the observer: it could not reach the observer, and has
/// sent no evaluations meanwhile. The peer counts as gone, even if it is back before the observer learns of
/// it.
void ObserverSession::note_detachment(PeerId sender, const ObserverContact& contact, Instant now) {
  Members::Member& member = members_[sender];
  if (member.standing == Standing::detached) member.heard_at = now;
  if (!started() || member.turns == contact.turn_count() || !drops()) return;
  member.turns = contact.turn_count();
  if (member.standing == Standing::finished || member.standing == Standing::lost) return;
  if (is_hub(sender)) return do_without(sender, "peer 0 has gone on without the observer");
  const bool was_detached = member.standing == Standing::detached;
  member.standing = contact.is_without_observer() ? Standing::detached : Standing::lost;
  if (!was_detached) settle(schedule_.drop(sender));
}

/// Handles a heartbeat of a lost peer: it was cut off or suspended. True if it is a member again.
bool ObserverSession::take_back(const FrameHeader& alive, Instant now) {
  const std::optional<std::uint64_t> first = schedule_.first_evaluation_from(alive.iteration);
  const bool is_detached = to_observer::as_alive(alive).contact.is_without_observer();
  const bool is_restored = claims_.is_ready(alive.sender) && claims_.is_holder(alive);  // if not, it may join
  const bool is_apart = input_.failure.hub_standby && (is_hub(alive.sender) || !members_.is_lost(hub_id));
  if (is_detached || !is_restored) return false;
  // It may be lost to the observer alone: then its hub waits for it, and it for the verdicts it has missed.
  if (is_apart && !is_hub(alive.sender)) take_alive(alive, {}, now);
  if (is_apart || closing_ != Closing::open || !first) return false;
  members_.take_back(alive.sender);
  schedule_.take_back(alive.sender, *first);
  start_peer(alive.sender, now);
  return true;
}

/// Handles the `join` of a process that has the model of a neighbor.
void ObserverSession::take_in(const FrameHeader& join, Instant now) {
  const PeerId sender = join.sender;
  Members::Member& member = members_[sender];
  if (!input_.may_be_joined || !started() || closing_ != Closing::open) return;
  if (!claims_.is_holder(join)) {
    words_.say(sender, FrameKind::again);
    return;
  }
  if (member.joined && !members_.is_gone(sender) && claims_.is_ready(sender))
    return start_peer(sender, now);  // `start` was lost on the way
  const std::optional<std::uint64_t> first = schedule_.first_evaluation_from(join.iteration);
  if (!first || members_.has_finished(sender)) {
    words_.say(sender, FrameKind::refuse,
               "the run ends before peer " + std::to_string(sender) + " can join it");
    return;
  }
  if (!members_.is_gone(sender)) settle(schedule_.drop(sender));  // its earlier process has ended
  member = {.joined = true, .heard_at = now};
  claims_.mark_ready(sender);
  schedule_.take_in(sender, *first);
  start_peer(sender, now);
}

std::optional<PeerId> ObserverSession::silent_peer(Instant now) {
  if (over() || closing_ == Closing::parting) return std::nullopt;
  members_.look(now);
  if (started()) return members_.silent_peer(now);
  return goes_on_without_a_peer() ? start_.silent_peer(members_, now) : std::nullopt;
}

/// Once the run has begun, the neighbors are not told: they judge for themselves, and may hear a peer that
/// the observer cannot. But a hub that closes its rounds takes a silent worker for a late one, so it is
/// told.
void ObserverSession::judge_silence(Instant now) {
  const std::optional<PeerId> id = silent_peer(now);
  if (!id) return;
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(members_.silence_of(*id, now)).count();
  const std::string silence = "it has said nothing for " + std::to_string(whole) + " s";
  const std::string how = "peer " + std::to_string(*id) + " was lost: " + silence;
  if (input_.rounds_close || !started()) return lose_peer(*id, how, silence);
  do_without(*id, how);
}

void ObserverSession::tick(Instant now) {
  if (over()) return;
  members_.look(now);
  if (closing_ == Closing::parting)
    farewell_->judge_silence(now, input_.failure.lost_after);
  else if (!started() && now > start_deadline_)
    return lose(start_.missing_peers());
  else if (!started() && goes_on_without_a_peer() && !start_.is_blocked())
    begin(now);
  else if (end_deadline_ && now > *end_deadline_)
    return end();
  leave_if_all_have_heard();
  if (!over() && now >= next_heartbeat_) beat(now);
}

void ObserverSession::beat(Instant now) {
  next_heartbeat_ = now + heartbeat_interval(input_.failure.lost_after);
  if (farewell_) return farewell_->repeat();
  ++beat_;
  const std::string waits = started() ? "" : start_.start_blockers();
  for (PeerId id = 0; id < input_.peer_count; ++id)
    if (!claims_.is_absent(id)) {
      const auto state = members_.has_finished(id) ? AliveState::has_result : AliveState::lacks_result;
      words_.say(id, from_observer::Alive{state, schedule_.evaluated(id), {beat_, members_[id].beat}}, waits);
    }
}

void ObserverSession::interrupt(Instant now, const std::string& by) {
  if (closing_ == Closing::parting && !interrupted_) closing_ = Closing::over;  // the user does not wait
  if (interrupted_ || over()) return;
  const bool is_plain = started() || (by.empty() && input_.addresses.empty());
  interrupted_ = is_plain ? "interrupted" : by.empty() ? "peer 0 was interrupted before the run began" : by;
  // Before the start, peers have no results to send: they end with the sentence.
  if (!started()) return part_unless_it_goes_on(Stop{130}, *interrupted_);
  stop();
  end_deadline_ = now + patience_after_stop;
  expect_no_results_of_killed_peers();
}

void ObserverSession::lose(const std::string& reason, int exit_code) {
  if (closing_ == Closing::parting || over()) return;
  loss_ = Loss{reason, exit_code == 2 && !started()};
  part_unless_it_goes_on(Stop{exit_code}, reason);
}

/// Under policy "drop", a run that an earlier observer has started goes on without this one.
void ObserverSession::part_unless_it_goes_on(Stop word, const std::string& reason) {
  if (!started() && drops() && progress_ == Progress::under_way)
    closing_ = Closing::over;
  else
    part(word, reason);
}

void ObserverSession::stop() {
  if (closing_ != Closing::open) return;
  closing_ = Closing::stopping;
  for (PeerId id = 0; id < input_.peer_count; ++id)
    if (!claims_.is_absent(id)) words_.say(id, Stop{});
}

/// If the run is about to end, expects no results of peers that were killed and are not restored yet.
void ObserverSession::expect_no_results_of_killed_peers() {
  if (!started() || closing_ != Closing::stopping) return;
  for (PeerId id = 0; id < input_.peer_count; ++id)
    if (start_.resumes(id) && !claims_.is_ready(id) && members_[id].standing == Standing::member)
      members_[id].standing = Standing::killed;
  end_if_all_have();
}

RunResult ObserverSession::outcome() const {
  RunResult result = members_.conclude(schedule_, evaluator_);
  if (loss_ || interrupted_) {
    result.status = loss_ ? RunStatus::lost : RunStatus::interrupted;
    result.reason = loss_ ? loss_->reason : *interrupted_;
  }
  return result;
}

}  // namespace hearsay

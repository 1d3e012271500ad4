#include "runtime/observer/observer_session.hpp"

#include <algorithm>

#include "runtime/wire/numbers.hpp"
#include "runtime/wire/words_to_observer.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

using Standing = Members::Standing;
using HelloState = to_observer::Hello::State;

}  // namespace

ObserverSession::ObserverSession(ObserverInput input, Evaluator& evaluator, Instant now,
                                 const RunRecord& earlier)
    : input_(std::move(input)),
      words_(run_id(input_.agreement)),
      claims_(input_, words_),
      start_(input_, claims_, words_, now),
      schedule_(input_, evaluator, earlier),
      chronicle_(start_, schedule_, now, earlier.events),
      members_(input_, chronicle_),
      vital_peers_(input_, members_),
      evaluations_(schedule_, members_, words_, input_.peer_count),
      end_(input_, evaluator, claims_, start_, schedule_, chronicle_, members_, words_),
      next_heartbeat_(now + heartbeat_interval(input_.failure.lost_after)) {
  members_.note_heard_all(now);
}

void ObserverSession::hear(const FrameHeader& header, std::span<const std::byte> payload, Instant now,
                           const std::string& host) {
  chronicle_.note_time(now);
  if (over()) return;
  if (header.kind == FrameKind::hello) return answer_hello(header, payload, now, host);
  const PeerId sender = header.sender;
  if (header.run_id != words_.run_id() || sender >= input_.peer_count) return;
  if (end_.is_parting()) return end_.hear(header, now);
  if (header.kind == FrameKind::join) return take_in(header, now);
  if (header.kind == FrameKind::alive) note_detachment(sender, to_observer::as_alive(header).contact, now);
  if (members_.is_gone(sender) && (header.kind != FrameKind::alive || !take_back(header, now))) return;
  if (!claims_.is_holder(header)) {  // a hello from it would be answered
    // A peer repeats these frames with every heartbeat, before the run and in it.
    if (header.kind == FrameKind::alive || header.kind == FrameKind::holds || header.kind == FrameKind::ready)
      words_.say(sender, FrameKind::again).only_to = header.incarnation;
    return;
  }
  members_.note_heard(sender, now);
  switch (header.kind) {
    case FrameKind::ready: {
      const to_observer::Ready ready = to_observer::as_ready(header);
      if (ready.still_waits) return start_.note_waiting(sender, printable_text(payload));
      return take_ready(sender, ready.last_verdict, now);
    }
    case FrameKind::holds:
      start_.note_checkpoints(sender, payload);
      return choose_checkpoint();
    case FrameKind::alive:
      return take_alive(header, payload, now);
    case FrameKind::evaluation:
      if (started()) evaluations_.take(header, payload);
      return;
    case FrameKind::answer:
      if (!started()) return;
      evaluations_.take_answer(header, payload);
      return end_.end_if_all_have();
    case FrameKind::result:
      return end_.take_result(sender, payload);
    case FrameKind::parted: {
      const bool lost_its_hub = vital_peers_.is_worker(sender) && payload.empty();
      members_.note_leaving(sender, lost_its_hub);
      return lose_peer(sender, now, "peer " + std::to_string(sender) + " has left",
                       "it " + (lost_its_hub ? "has left: it has lost its hub" : how_it_left(payload)));
    }
    case FrameKind::stop:
      return end_.take_stop(header, payload, now);
    default:
      return;
  }
}

void ObserverSession::answer_hello(const FrameHeader& hello, std::span<const std::byte> payload, Instant now,
                                   const std::string& host) {
  if (end_.turns_away()) return end_.refuse(hello);
  if (!claims_.accepts(hello, payload)) return;
  if (end_.is_parting()) return end_.answer_hello(hello);
  // Under policy "drop", once the run has begun, another process with the same id is a new peer.
  const bool is_new_peer = members_.is_gone(hello.sender) || (started() && drops());
  if (!is_new_peer && claims_.must_wait(hello, payload, now, host)) return;
  members_.note_heard(hello.sender, now);  // its silence begins here, however late it comes
  admit(hello, payload, host);
}

void ObserverSession::admit(const FrameHeader& hello, std::span<const std::byte> payload,
                            const std::string& host) {
  const PeerId sender = hello.sender;
  const bool is_successor = claims_.is_taken(hello);
  claims_.note_host(hello, host);
  if (is_successor && started() && drops())
    lose_peer(sender, chronicle_.now(), "peer " + std::to_string(sender) + " was started anew");
  if (members_.is_gone(sender)) return welcome_joiner(hello, payload);
  claims_.welcome(hello, payload);  // not ready: the process may be a restarted one
  const HelloState state = to_observer::as_hello(hello).state;
  members_.note_beat(sender, 0);
  start_.note_welcome(sender, state == HelloState::resumes);
  if (!end_.is_open() && started() && start_.resumes(sender)) {
    words_.say(sender, end_.stop_of_a_successor());
    return end_.expect_no_results_of_killed_peers();
  }
  start_.welcome(sender);
  if (state == HelloState::is_under_way) start_.note_under_way();
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
  if (!start_.can_choose()) return;
  if (!start_.choose(schedule_.record())) return lose(start_.why_none(schedule_.record()), 2);
  schedule_.resume_from(*start_.resumed_from());
}

void ObserverSession::take_ready(PeerId sender, std::optional<std::uint64_t> last_verdict, Instant now) {
  if (started() && start_.resumes(sender) && !claims_.is_ready(sender))
    chronicle_.note(RunEvent::What::restarted, sender);
  claims_.mark_ready(sender);
  schedule_.note_verdicts_known(sender, last_verdict);
  if (started()) return start_peer(sender, now);
  if (!start_.is_blocked()) begin(now);
}

void ObserverSession::begin(Instant now) {
  if (const auto refusal = claims_.objection_to_samples()) return lose(*refusal, 2);
  if (const auto refusal = schedule_.bridge_lost_evaluations()) return lose(*refusal, 2);
  // The time of a resumed run goes on. A peer whose checkpoint is later knows it better (PeerSession).
  start_.begin(now - std::chrono::round<Duration>(std::chrono::duration<double>(schedule_.seconds_before())));
  members_.note_heard_all(now);
  for (PeerId id = 0; id < input_.peer_count; ++id)
    if (!members_.is_gone(id)) start_peer(id, now);
}

void ObserverSession::start_peer(PeerId id, Instant now) {
  words_.say(id, from_observer::Start{input_.iterations, origin(), now - origin()});
  evaluations_.inform(id);
}

void ObserverSession::take_alive(const FrameHeader& alive, std::span<const std::byte> payload, Instant now) {
  const auto [contact, last_verdict, beats] = to_observer::as_alive(alive);
  members_.note_beat(alive.sender, beats.own);
  if (contact.has_begun()) start_.note_under_way();
  // A peer sends heartbeats to the observer only once it is ready.
  if (!claims_.is_ready(alive.sender)) return take_ready(alive.sender, last_verdict, now);
  const bool lacks_verdict = last_verdict < schedule_.last_judged();
  if (started() && (!contact.has_begun() || lacks_verdict)) return start_peer(alive.sender, now);
  if (started()) evaluations_.note_alive(alive.sender, beats.heard, decode_numbers(payload));
}

void ObserverSession::lose_peer(PeerId id, Instant now, const std::string& how,
                                const std::string& to_others) {
  chronicle_.note_time(now);
  ensure(id < input_.peer_count, "a peer that is lost is one of this run");
  if (end_.is_parting()) return end_.forget(id);
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
    if (end_.is_interrupted()) return end_.note_end_of(id);  // the run ends already, and this is not why
    end_.lose(id, how);
    return end_.forget(id);
  }
  if (members_.has_finished(id)) return members_.note_end(id);
  if (vital_peers_.is_last_hub(id)) return end_.lose(id, VitalPeers::loss_of_hub(how));
  members_.lose(id);
  if (!started()) start_.do_without(id);
  evaluations_.drop(id);
  if (const auto why = vital_peers_.why_run_ends_without(id)) return lose(*why);
  evaluations_.ask_what_is_new();
  end_.end_if_all_have();
}

/// Handles a heartbeat of a peer that has run without the observer: it could not reach the observer, and has
/// sent no evaluations meanwhile. The peer counts as gone, even if it is back before the observer learns of
/// it.
void ObserverSession::note_detachment(PeerId sender, const ObserverContact& contact, Instant now) {
  const bool was_detached = members_[sender].standing == Standing::detached;
  if (was_detached) members_.note_heard(sender, now);
  if (!started() || members_[sender].turns == contact.turn_count() || !drops()) return;
  members_.note_turns(sender, contact.turn_count());
  if (members_.has_finished(sender) || members_.is_lost(sender)) return;
  if (vital_peers_.is_hub(sender)) return do_without(sender, "peer 0 has gone on without the observer");
  // A worker that stays lost is heard still. If it stands by, it may serve already, and the hub that says so
  // may come later.
  const bool runs_on = contact.is_without_observer() || vital_peers_.stays_lost(sender);
  runs_on ? members_.detach(sender) : members_.lose(sender);
  if (was_detached) return;
  evaluations_.drop(sender);
  evaluations_.ask_what_is_new();
}

/// Handles a heartbeat of a lost peer: it was cut off or suspended. True if it is a member again.
bool ObserverSession::take_back(const FrameHeader& alive, Instant now) {
  const std::optional<std::uint64_t> first = schedule_.first_evaluation_from(alive.iteration);
  const bool is_detached = to_observer::as_alive(alive).contact.is_without_observer();
  const bool is_restored = claims_.is_ready(alive.sender) && claims_.is_holder(alive);  // if not, it may join
  const bool stays_lost = vital_peers_.stays_lost(alive.sender);
  if (is_detached || !is_restored) return false;
  // It may be lost to the observer alone: then its hub waits for it, and it for the verdicts it has missed.
  if (stays_lost && !vital_peers_.is_hub(alive.sender)) take_alive(alive, {}, now);
  if (stays_lost || !end_.is_open() || !first) return false;
  members_.take_back(alive.sender, alive.iteration);
  evaluations_.take_back(alive.sender, *first);
  start_peer(alive.sender, now);
  return true;
}

void ObserverSession::refuse_to_join(PeerId id) {
  words_.say(id, FrameKind::refuse, "the run ends before peer " + std::to_string(id) + " can join it");
}

/// Handles the `join` of a process that has the model of a neighbor.
void ObserverSession::take_in(const FrameHeader& join, Instant now) {
  const PeerId sender = join.sender;
  if (!input_.may_be_joined || !started() || !end_.is_open()) return;
  if (!claims_.is_holder(join)) {
    words_.say(sender, FrameKind::again);
    return;
  }
  if (members_[sender].joined && !members_.is_gone(sender) && claims_.is_ready(sender))
    return start_peer(sender, now);  // `start` was lost on the way
  if (members_.has_finished(sender) || !schedule_.first_evaluation_from(join.iteration))
    return refuse_to_join(sender);
  if (!members_.is_gone(sender)) {  // its earlier process has ended
    members_.lose(sender);
    evaluations_.drop(sender);
    evaluations_.ask_what_is_new();
  }
  // What had waited for the earlier process alone is evaluated by now.
  const std::optional<std::uint64_t> first = schedule_.first_evaluation_from(join.iteration);
  if (!first) {
    refuse_to_join(sender);
    return end_.end_if_all_have();
  }
  members_.take_in(sender, now, join.iteration);
  claims_.mark_ready(sender);
  evaluations_.take_in(sender, *first);
  start_peer(sender, now);
}

std::optional<PeerId> ObserverSession::silent_peer(Instant now) {
  if (over() || end_.is_parting()) return std::nullopt;
  members_.look(now);
  if (started()) return members_.silent_peer(now);
  return goes_on_without_a_peer() ? start_.silent_peer(members_, now) : std::nullopt;
}

/// Once the run has begun, the neighbors are not told: they judge for themselves, and may hear a peer that
/// the observer cannot. But a hub that closes its rounds takes a silent worker for a late one, so it is
/// told.
void ObserverSession::judge_silence(Instant now) {
  chronicle_.note_time(now);
  const std::optional<PeerId> id = silent_peer(now);
  if (!id) return;
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(members_.silence_of(*id, now)).count();
  const std::string silence = "it has said nothing for " + std::to_string(whole) + " s";
  const std::string how = "peer " + std::to_string(*id) + " was lost: " + silence;
  if (input_.rounds_close || !started()) return lose_peer(*id, now, how, silence);
  do_without(*id, how);
}

void ObserverSession::tick(Instant now) {
  if (over()) return;
  members_.look(now);
  if (end_.is_parting())
    end_.judge_silence(now);
  else if (start_.is_overdue(now))
    return lose(start_.missing_peers());
  else if (!started() && goes_on_without_a_peer() && !start_.is_blocked())
    begin(now);
  else if (end_.ends_without_results(now))
    return;
  if (!over() && now >= next_heartbeat_) beat(now);
}

void ObserverSession::beat(Instant now) {
  next_heartbeat_ = now + heartbeat_interval(input_.failure.lost_after);
  if (end_.is_parting()) return end_.repeat_last_word();
  evaluations_.beat(claims_, started() ? "" : start_.start_blockers());
}

void ObserverSession::leave(Instant now) {
  if (end_.is_parting()) return interrupt(now);
  const bool ends_with_hub = vital_peers_.is_last_hub(hub_id) && drops();  // which is in this process, too
  const bool goes_on = !ends_with_hub && input_.failure.survives_a_leave();
  if (start_.is_gathering() || !goes_on) return interrupt(now);
  end_.leave_to_others();
}

void ObserverSession::note_end_seen(PeerId id, const std::string& how) {
  const bool is_awaited = id < input_.peer_count && start_.is_gathering() && claims_.is_absent(id);
  if (is_awaited && goes_on_without_a_peer())
    lose_peer(id, chronicle_.now(), "peer " + std::to_string(id) + " has ended: " + how, how);
}

}  // namespace hearsay

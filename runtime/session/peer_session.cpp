#include "runtime/session/peer_session.hpp"

#include <algorithm>
#include <utility>

#include "runtime/peer/staleness.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

PeerSession::PeerSession(PeerSessionInput input)
    : context_(std::move(input)),
      outgoing_(context_.input),
      incoming_(context_.input.sources),
      entrance_(context_.input) {
  for (const PeerId to : context_.input.destinations)
    if (std::ranges::binary_search(context_.input.absent, to)) parted_.part(to);
}

void PeerSession::begin(Instant now) {
  ensure(next_heartbeat_ == Instant{}, "a session begins once");
  context_.now = now;
  next_heartbeat_ = now + context_.input.heartbeat;
  entrance_.begin(context_);
  if (context_.phase != SessionPhase::restoring) greet_neighbors();
  observer_.greet(context_);
  tell_when_ready();
}

void PeerSession::resume(SessionState state) {
  if (!entrance_.resume(state.age, context_)) return;
  context_.next_needed = state.next_needed;
  outgoing_.restore(state);
  observer_.restore(state);
  greet_neighbors();
  tell_when_ready();
}

void PeerSession::needs_from(std::uint64_t iteration) {
  if (incoming_.need_from(iteration, context_)) incoming_.say_what_is_needed_to_quiet(context_);
}

// Heartbeats, and the way into the run.

Instant PeerSession::tick(Instant now) {
  context_.now = now;
  entrance_.check_deadline(context_, outgoing_, observer_);
  if (now >= next_heartbeat_) {
    next_heartbeat_ = now + context_.input.heartbeat;
    show_life();
  }
  return std::min(next_heartbeat_, entrance_.deadline(context_));
}

void PeerSession::show_life() {
  switch (context_.phase) {
    case SessionPhase::failed:
      return;
    case SessionPhase::restoring:
      for (const OutgoingLink& link : outgoing_.all())
        context_.say(PeerFrame::Way::outlet, link.to, to_neighbor::Alive{});
      return observer_.has_welcomed() ? observer_.say_what_it_holds(context_) : observer_.greet(context_);
    case SessionPhase::joining:
    case SessionPhase::entering:
      return show_that_it_joins();
    default:
      break;
  }
  outgoing_.show_life(parted_, context_);
  if (!observer_.has_welcomed()) observer_.greet(context_);
  if (observer_.waits_at_checkpoint(context_)) observer_.say_what_it_holds(context_);
  incoming_.permit_pieces(true, context_);
  if (!context_.is_ready()) return observer_.say_for_whom_it_waits(report().awaited(), context_);
  incoming_.show_life(parted_, context_);
  observer_.show_life(context_);
}

FrameUse PeerSession::take_from_source(const FrameHeader& head, std::span<const std::byte> payload) {
  if (head.kind == FrameKind::letter) return members().hear(head, payload);
  if (parted_.contains(head.sender)) return hear_parted(head, payload);
  if (head.kind == FrameKind::hello) {
    hear_hello(head, payload);
    return FrameUse::words;
  }
  const IncomingLink* const link = incoming_.find(head.sender);
  // Of strangers and of other runs only a hello is looked at.
  if (!link || head.run_id != context_.run_id) return FrameUse::garbage;
  switch (head.kind) {
    case FrameKind::offer:
      parted_.say_taken(head.sender, context_);
      return FrameUse::words;
    case FrameKind::parted:
      hear_that_it_parted(head, payload);
      return FrameUse::words;
    case FrameKind::join:
      parted_.hear_join(head.sender, context_);
      return FrameUse::words;
    case FrameKind::data:
    case FrameKind::long_message:
    case FrameKind::message_piece:
    case FrameKind::alive:
      return hear_frame(head, payload);
    case FrameKind::stop:
      // A process that was refused takes no part, so it cannot stop the run either. Exit code 2 (wrong input)
      // in the middle of the run ends its sender alone; if it is to end the run, the observer says so.
      if (!link->has_greeted_as(head.incarnation)) return FrameUse::garbage;
      if (!context_.has_started() || exit_code_of(head) != 2) hear_stop(head, payload);
      return FrameUse::words;
    default:
      return FrameUse::garbage;
  }
}

FrameUse PeerSession::hear_frame(const FrameHeader& head, std::span<const std::byte> payload) {
  if (!incoming_.fits(head, payload, context_)) return FrameUse::garbage;
  const IncomingLink::Frame frame = incoming_.take(head, context_);
  if (frame == IncomingLink::Frame::ungreeted) return FrameUse::words;
  const bool has_message = carries_message(head.kind);
  const auto needed =
      has_message ? first_needed_in(head.iteration, context_.input.staleness) : head.iteration;
  if (context_.is_destination(head.sender)) outgoing_.release(head.sender, needed, context_);
  if (!has_message || frame == IncomingLink::Frame::repeated) return FrameUse::words;
  if (head.kind == FrameKind::data) return FrameUse::data;
  whole_ = incoming_.take_long(head, payload, context_);
  return whole_ ? FrameUse::data : FrameUse::words;
}

void PeerSession::hear_hello(const FrameHeader& hello, std::span<const std::byte> payload) {
  const bool edge_is_out = to_neighbor::as_hello(hello).edge_is_out;
  if (is_of_successor(hello)) {
    context_.events.push_back(PeerDeparted{hello.sender, "it was started anew"});
  } else if (edge_is_out && context_.may_join()) {
    if (context_.hears(hello.sender) && hello.run_id == context_.run_id) begin_joining(hello.sender);
  } else if (edge_is_out && context_.has_started()) {
    parted_.hear_removal(hello, context_);
  } else if (context_.phase != SessionPhase::restoring) {
    answer_hello(hello, payload);  // a restoring peer does not answer: the caller tries again, or is called
  }
}

void PeerSession::answer_hello(const FrameHeader& hello, std::span<const std::byte> payload) {
  const PeerId sender = hello.sender;
  IncomingLink* const link = incoming_.find(sender);
  HelloVerdict verdict =
      judge_hello(context_.input.agreement, context_.input.self, payload, sender, link != nullptr);
  if (verdict.welcome())
    verdict.for_the_caller = outgoing_.objection_to(hello, parted_.contains(sender), context_);
  if (!verdict.welcome()) {
    ++context_.counters.refused;
    context_.say(PeerFrame::Way::reply, sender, FrameKind::refuse,
                 SharedBytes(std::as_bytes(std::span(verdict.for_the_caller))));
    if (!context_.is_ready() && !verdict.for_me.empty()) context_.fail(2, verdict.for_me);
    return;
  }
  entrance_.note_call(hello);
  // A new process has not heard this peer's hello, even if its predecessor has.
  if (link->greeted(hello) && context_.is_destination(sender)) greet(outgoing_.to(sender));
  context_.say(PeerFrame::Way::reply, sender, to_neighbor::Welcome{to_neighbor::as_hello(hello).next_number},
               to_neighbor::encode(link->messages.held()));
  tell_when_ready();
}

FrameUse PeerSession::hear_destination(PeerId destination, const FrameHeader& head,
                                       std::span<const std::byte> payload) {
  if (head.sender != destination || is_from_observer(head)) {
    outgoing_.to(destination).answers_instead = ObserverLink::name_of_speaker(head);
    return FrameUse::garbage;
  }
  if (head.kind == FrameKind::refuse && !context_.has_started()) {
    context_.fail(2, printable_text(payload));
    return FrameUse::words;
  }
  if (head.run_id != context_.run_id) return FrameUse::garbage;
  if (head.kind == FrameKind::model) return hear_model(head, payload);
  if (head.kind == FrameKind::parted && (context_.may_join() || !parted_.contains(destination))) {
    hear_that_it_parted(head, payload);
    return FrameUse::words;
  }
  if (head.kind == FrameKind::taken) incoming_.note_agreement(head);
  if (parted_.hear_destination(destination, head, context_)) return FrameUse::words;
  OutgoingLink& link = outgoing_.to(destination);
  switch (head.kind) {
    case FrameKind::welcome:
      if (!outgoing_.hear_welcome(link, head, context_)) return FrameUse::words;
      entrance_.note_welcome(destination);
      tell_when_ready();
      outgoing_.send_again(link, head.iteration, payload, context_);
      return FrameUse::words;
    case FrameKind::again:
      if (context_.phase != SessionPhase::restoring) greet(link);
      return FrameUse::words;
    case FrameKind::takes_pieces:
      outgoing_.send_more(link, to_neighbor::as_takes_pieces(head), context_);
      return FrameUse::words;
    case FrameKind::alive:  // of a destination that is no source
      outgoing_.release(destination, head.iteration, context_);
      return FrameUse::words;
    default:
      return FrameUse::garbage;
  }
}

FrameUse PeerSession::take_from_observer(const FrameHeader& head, std::span<const std::byte> payload,
                                         Instant now) {
  if (!is_from_observer(head)) {
    observer_.note_who_answers_instead(head);
    return FrameUse::garbage;
  }
  if (head.kind == FrameKind::refuse && !context_.has_started()) {
    context_.is_duplicate_process = from_observer::as_refuse(head).is_duplicate;
    context_.fail(2, printable_text(payload));
    return FrameUse::words;
  }
  if (head.run_id != context_.run_id) return FrameUse::garbage;
  switch (head.kind) {
    case FrameKind::start:
      hear_start(from_observer::as_start(head), now);
      return FrameUse::words;
    case FrameKind::departed:
      hear_departed(from_observer::as_departed(head), printable_text(payload));
      return FrameUse::words;
    case FrameKind::stop:
      if (!payload.empty()) observer_.answer_last_word(context_);
      hear_stop(head, payload);
      return FrameUse::words;
    default:
      return observer_.hear(head, payload, context_);
  }
}

/// The observer says that a process has ended, or `how`. Before the run begins, this peer does not wait for
/// it. In the run that is ignored if a successor of that process has greeted this peer already.
void PeerSession::hear_departed(const from_observer::Departed& departed, std::string how) {
  const PeerId id = departed.peer;
  if (how.empty()) how = "its process has ended";
  const IncomingLink* const link = incoming_.find(id);
  if (context_.phase == SessionPhase::greeting || context_.phase == SessionPhase::ready) {
    if (!link && !context_.is_destination(id)) return;
    if (entrance_.do_without(id, how, context_)) tell_when_ready();
  } else if (id != context_.input.self && !context_.may_join()) {
    const bool has_successor = link && link->has_greeted() && !link->has_greeted_as(departed.incarnation);
    if (!has_successor) context_.events.push_back(PeerDeparted{id, how});
  }
}

void PeerSession::hear_start(const from_observer::Start& start, Instant now) {
  const bool joins = context_.phase == SessionPhase::entering;
  if (!entrance_.start(start, now, context_)) return;
  if (joins) greet_neighbors();
  observer_.tell_unacknowledged(context_);  // reports of an earlier process
}

// Policy "drop": edges that are out (parted_edges.hpp).

/// A neighbor says that its edge to this peer is out.
void PeerSession::hear_that_it_parted(const FrameHeader& parted, std::span<const std::byte> why) {
  if (context_.may_join())
    begin_joining(parted.sender);
  else
    parted_.hear_parted(parted, why, context_);
}

/// Handles a frame from a source whose edge is out.
FrameUse PeerSession::hear_parted(const FrameHeader& head, std::span<const std::byte> payload) {
  const bool is_hello = head.kind == FrameKind::hello;
  if (!context_.hears(head.sender) || (head.run_id != context_.run_id && !is_hello)) return FrameUse::garbage;
  const bool says_parted =
      head.kind == FrameKind::parted || (is_hello && to_neighbor::as_hello(head).edge_is_out);
  if (!context_.has_started()) {  // a neighbor that has parted from this peer may be asked for its model
    if (context_.may_join() && says_parted) begin_joining(head.sender);
  } else if (head.kind == FrameKind::join) {
    parted_.hear_join(head.sender, context_);
  } else if (is_hello && says_parted) {
    answer_hello(head, payload);
  } else {
    parted_.hear_source(head, context_);
  }
  return FrameUse::words;
}

// Policy "drop": a peer joins a run that goes on without it. Both ends of that.

void PeerSession::begin_joining(PeerId neighbor) {
  if (!entrance_.join(neighbor, context_)) return;
  for (const OutgoingLink& link : outgoing_.all())
    if (!parted_.contains(link.to)) parted_.part(link.to);
  entrance_.ask(context_);
}

/// The heartbeat of a joining peer. Says hello to neighbors that have not said that they have parted: they
/// may find out by that.
void PeerSession::show_that_it_joins() {
  if (!observer_.has_welcomed()) observer_.greet(context_);
  if (context_.phase == SessionPhase::entering) return observer_.say_ready(context_);
  for (OutgoingLink& link : outgoing_.all())
    if (!entrance_.may_ask(link.to)) greet(link);
  entrance_.ask(context_);
}

FrameUse PeerSession::hear_model(const FrameHeader& head, std::span<const std::byte> payload) {
  const FrameUse use = entrance_.take_model(head, payload, context_);
  if (use != FrameUse::data) return use;
  observer_.enter_after(to_neighbor::as_model(head).last_verdict);
  observer_.say_ready(context_);
  return FrameUse::words;
}

/// True if the hello is of a new process under the id of a peer that this one has trained with.
bool PeerSession::is_of_successor(const FrameHeader& hello) const {
  if (!context_.has_started() || !context_.input.model_bytes || hello.run_id != context_.run_id) return false;
  const bool is_destination = context_.is_destination(hello.sender);
  return incoming_.is_of_successor(hello, is_destination ? outgoing_.retention().floor(hello.sender) : 0);
}

}  // namespace hearsay

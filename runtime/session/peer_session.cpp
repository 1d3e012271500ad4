#include "runtime/session/peer_session.hpp"

#include <algorithm>
#include <iterator>

#include "runtime/peer/staleness.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

std::vector<PeerId> present(const std::vector<PeerId>& ids, const std::vector<PeerId>& absent) {
  std::vector<PeerId> rest;
  std::ranges::set_difference(ids, absent, std::back_inserter(rest));
  return rest;
}

}  // namespace

PeerSession::PeerSession(PeerSessionInput input)
    : context_(std::move(input)),
      outgoing_(context_.input),
      greetings_(present(context_.input.sources, context_.input.absent),
                 present(context_.input.destinations, context_.input.absent)),
      start_(context_.input.start_patience) {
  for (const PeerId to : context_.input.destinations)
    if (std::ranges::binary_search(context_.input.absent, to)) parted_.part(to);
  for (const PeerId from : context_.input.sources) incoming_.emplace_back(from);
}

void PeerSession::begin(Instant now) {
  context_.now = now;
  const bool resumes = context_.input.holds.has_value();
  start_.begin(now, resumes);
  next_heartbeat_ = now + context_.input.heartbeat;
  if (resumes)
    context_.phase = SessionPhase::restoring;
  else
    greet_neighbors();
  observer_.greet(context_);
  tell_when_ready();
}

void PeerSession::resume(SessionState state) {
  if (context_.phase == SessionPhase::failed) return;  // the peer was not restored in time
  ensure(context_.phase == SessionPhase::restoring, "a session resumes from a checkpoint once");
  context_.phase = SessionPhase::greeting;
  start_.greet(context_.now);
  context_.next_needed = state.next_needed;
  age_at_checkpoint_ = state.age;
  outgoing_.restore(state);
  observer_.restore(state);
  greet_neighbors();
  tell_when_ready();
}

/// Sources that are destinations, too, learn this from the next message. The other ones are told at once,
/// since they retain their messages until then.
void PeerSession::needs_from(std::uint64_t iteration) {
  if (iteration <= context_.next_needed) return;
  context_.next_needed = iteration;
  const std::vector<PeerId>& quiet = context_.input.quiet_destinations;
  for (const IncomingLink& link : incoming_)
    if (!context_.is_destination(link.source) || std::ranges::binary_search(quiet, link.source))
      context_.say(PeerFrame::Way::reply, link.source, to_neighbor::Alive{});
}

// Heartbeats, and the way into the run.

Instant PeerSession::tick(Instant now) {
  context_.now = now;
  const auto awaits_start = [this] {
    return !context_.has_started() && context_.phase != SessionPhase::failed;
  };
  if (awaits_start()) check_deadline();
  if (now >= next_heartbeat_) {
    next_heartbeat_ = now + context_.input.heartbeat;
    show_life();
  }
  return awaits_start() ? std::min(next_heartbeat_, start_.deadline(context_.is_ready())) : next_heartbeat_;
}

void PeerSession::check_deadline() {
  const StartReport before = report();
  if (context_.now >= start_.deadline(context_.is_ready()))
    context_.fail(3, before.missing() + start_.doubt());
  if (const auto so_far = start_.word_due(context_.now))
    context_.events.push_back(StillWaits{before.awaited(), *so_far});
}

void PeerSession::tell_when_ready() {
  if (context_.phase != SessionPhase::greeting || context_.comes_later() || !greetings_.complete()) return;
  context_.phase = SessionPhase::ready;
  observer_.say_ready(context_);
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
    case SessionPhase::greeting:
    case SessionPhase::ready:
    case SessionPhase::running:
      break;
  }
  for (OutgoingLink& link : outgoing_.all()) {
    // The hello or its answer was lost, the destination is not up yet, or an edge that is out may come back.
    if (link.awaits_welcome || parted_.contains(link.to)) {
      if (context_.has_started() || !parted_.contains(link.to)) greet(link);
    } else {
      context_.say(PeerFrame::Way::outlet, link.to, to_neighbor::Alive{link.next_sequence});
    }
  }
  if (!observer_.has_welcomed()) observer_.greet(context_);
  if (observer_.waits_at_checkpoint(context_)) observer_.say_what_it_holds(context_);
  if (!context_.is_ready()) return observer_.say_for_whom_it_waits(report().awaited(), context_);
  for (const IncomingLink& link : incoming_)
    if (!context_.is_destination(link.source) && !parted_.contains(link.source))
      context_.say(PeerFrame::Way::reply, link.source, to_neighbor::Alive{});
  observer_.show_life(context_);
}

// Frames from sources.

FrameUse PeerSession::take_from_source(const FrameHeader& head, std::span<const std::byte> payload) {
  if (parted_.contains(head.sender)) return hear_parted(head, payload);
  if (head.kind == FrameKind::hello) {
    hear_hello(head, payload);
    return FrameUse::words;
  }
  IncomingLink* const link = find_source(head.sender);
  // Of strangers and of other runs only a hello is looked at.
  if (!link || head.run_id != context_.run_id) return FrameUse::garbage;
  switch (head.kind) {
    case FrameKind::offer:
      parted_.say_taken(head.sender, context_);
      return FrameUse::words;
    case FrameKind::parted:
      hear_that_it_parted(head.sender, head, payload);
      return FrameUse::words;
    case FrameKind::join:
      hear_join(head.sender);
      return FrameUse::words;
    case FrameKind::data:
    case FrameKind::alive:
      return hear_frame(*link, head);
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

FrameUse PeerSession::hear_frame(IncomingLink& link, const FrameHeader& head) {
  const IncomingLink::Frame frame = link.judge(head);
  if (frame == IncomingLink::Frame::after_gap) ++context_.counters.gaps;
  if (link.must_ask_again(frame, head.kind))
    context_.say(PeerFrame::Way::reply, head.sender, FrameKind::again);
  if (frame == IncomingLink::Frame::ungreeted) return FrameUse::words;
  const bool is_data = head.kind == FrameKind::data;
  if (context_.is_destination(head.sender))
    outgoing_.retention().release(
        head.sender, is_data ? first_needed_in(head.iteration, context_.input.staleness) : head.iteration);
  if (!is_data) return FrameUse::words;
  if (frame != IncomingLink::Frame::repeated) return FrameUse::data;
  ++context_.counters.repeated;
  return FrameUse::words;
}

void PeerSession::hear_hello(const FrameHeader& hello, std::span<const std::byte> payload) {
  const bool edge_is_out = to_neighbor::as_hello(hello).edge_is_out;
  if (is_of_successor(hello)) {
    context_.events.push_back(PeerDeparted{hello.sender, "it was started anew"});
  } else if (edge_is_out && context_.may_join()) {
    if (find_source(hello.sender) && hello.run_id == context_.run_id) begin_joining(hello.sender);
  } else if (edge_is_out && context_.has_started()) {
    if (!parted_.is_outdated(hello))
      context_.events.push_back(PeerDeparted{hello.sender, parted_from_this, true});
  } else if (context_.phase != SessionPhase::restoring) {
    answer_hello(hello, payload);  // a restoring peer does not answer: the caller tries again, or is called
  }
}

void PeerSession::answer_hello(const FrameHeader& hello, std::span<const std::byte> payload) {
  const PeerId sender = hello.sender;
  IncomingLink* const link = find_source(sender);
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
  greetings_.called(sender, hello.incarnation);
  // A new process under that id has not heard this peer's hello, even if its predecessor has.
  if (link->greeted(hello) && context_.is_destination(sender)) greet(outgoing_.to(sender));
  context_.say(PeerFrame::Way::reply, sender, to_neighbor::Welcome{to_neighbor::as_hello(hello).next_number});
  tell_when_ready();
}

// Frames from destinations.

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
    hear_that_it_parted(destination, head, payload);
    return FrameUse::words;
  }
  if (head.kind == FrameKind::taken) note_agreement(head);
  if (parted_.hear_destination(destination, head, context_)) return FrameUse::words;
  OutgoingLink& link = outgoing_.to(destination);
  switch (head.kind) {
    case FrameKind::welcome:
      if (!outgoing_.hear_welcome(link, head, context_)) return FrameUse::words;
      greetings_.welcomed_by(destination);
      tell_when_ready();
      outgoing_.send_again(link, head.iteration, context_);
      return FrameUse::words;
    case FrameKind::again:
      if (context_.phase != SessionPhase::restoring) greet(link);
      return FrameUse::words;
    case FrameKind::alive:  // of a destination that is no source
      outgoing_.retention().release(destination, head.iteration);
      return FrameUse::words;
    default:
      return FrameUse::garbage;
  }
}

// Frames from the observer.

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
    case FrameKind::departed: {
      const from_observer::Departed departed = from_observer::as_departed(head);
      if (context_.phase == SessionPhase::greeting || context_.phase == SessionPhase::ready)
        begin_without(departed.peer, printable_text(payload));
      else if (departed.peer != context_.input.self && !context_.may_join())
        hear_departed(departed, printable_text(payload));
      return FrameUse::words;
    }
    case FrameKind::stop:
      if (!payload.empty()) observer_.answer_last_word(context_);
      hear_stop(head, payload);
      return FrameUse::words;
    default:
      return observer_.hear(head, payload, context_);
  }
}

void PeerSession::hear_start(const from_observer::Start& start, Instant now) {
  const SessionPhase before = context_.phase;
  const bool may_start = before == SessionPhase::ready || before == SessionPhase::entering ||
                         (before == SessionPhase::greeting && !context_.comes_later());
  if (!may_start) return;
  if (start.iterations != context_.input.iterations)
    return context_.fail(2, "peer 0 runs " + std::to_string(start.iterations) + " iterations, peer " +
                                std::to_string(context_.input.self) + " " +
                                std::to_string(context_.input.iterations) +
                                "; give both the same run.iterations");
  context_.phase = SessionPhase::running;
  if (before == SessionPhase::entering) greet_neighbors();
  observer_.tell_unacknowledged(context_);  // reports of an earlier process
  const Instant origin = context_.input.same_machine ? start.origin : now - start.age;  // no common clock
  origin_ = std::min(origin, now - age_at_checkpoint_.value_or(now - origin));
  context_.events.push_back(RunStarts{*origin_});
  for (PeerDeparted& departed : std::exchange(departed_before_start_, {}))
    context_.events.push_back(std::move(departed));
}

// Policy "drop": edges that are out (parted_edges.hpp).

/// A neighbor says that its edge to this peer is out.
void PeerSession::hear_that_it_parted(PeerId neighbor, const FrameHeader& parted,
                                      std::span<const std::byte> why) {
  if (context_.may_join())
    begin_joining(neighbor);
  else if (to_neighbor::as_parted(parted).leaves)
    context_.events.push_back(PeerDeparted{neighbor, "it " + how_it_left(why)});
  else if (!parted_.is_outdated(parted))
    context_.events.push_back(PeerDeparted{neighbor, parted_from_this, true});
}

/// Handles a frame from a source whose edge is out.
FrameUse PeerSession::hear_parted(const FrameHeader& head, std::span<const std::byte> payload) {
  const bool is_hello = head.kind == FrameKind::hello;
  if (!find_source(head.sender) || (head.run_id != context_.run_id && !is_hello)) return FrameUse::garbage;
  const bool says_parted =
      head.kind == FrameKind::parted || (is_hello && to_neighbor::as_hello(head).edge_is_out);
  if (!context_.has_started()) {  // a neighbor that has parted from this peer may be asked for its model
    if (context_.may_join() && says_parted) begin_joining(head.sender);
  } else if (head.kind == FrameKind::join) {
    hear_join(head.sender);
  } else if (is_hello && says_parted) {
    answer_hello(head, payload);
  } else {
    parted_.hear_source(head, context_);
  }
  return FrameUse::words;
}

// Policy "drop": a peer joins a run that goes on without it. Both ends of that.

/// A neighbor has parted from this peer, which has not begun. So the run goes on without this peer, which
/// takes all its edges for out and asks for a model.
void PeerSession::begin_joining(PeerId neighbor) {
  if (context_.phase == SessionPhase::failed) return;
  if (joining_) return joining_->add(neighbor);
  joining_.emplace(neighbor, context_);
  context_.phase = SessionPhase::joining;
  start_.join(context_.now);
  for (const OutgoingLink& link : outgoing_.all())
    if (!parted_.contains(link.to)) parted_.part(link.to);
  joining_->ask(context_);
}

/// The heartbeat of a joining peer. Says hello to neighbors that have not said that they have parted: they
/// may find out by that.
void PeerSession::show_that_it_joins() {
  if (!observer_.has_welcomed()) observer_.greet(context_);
  if (context_.phase == SessionPhase::entering) return observer_.say_ready(context_);
  for (OutgoingLink& link : outgoing_.all())
    if (!joining_->may_ask(link.to)) greet(link);
  joining_->ask(context_);
}

FrameUse PeerSession::hear_model(const FrameHeader& head, std::span<const std::byte> payload) {
  const to_neighbor::Model model = to_neighbor::as_model(head);
  if (!joining_ || !Joining::fits(model, payload.size(), context_.input)) return FrameUse::garbage;
  if (context_.phase != SessionPhase::joining) return FrameUse::words;  // another neighbor was faster
  context_.phase = SessionPhase::entering;
  start_.enter(context_.now);
  context_.next_needed = model.iteration + 1;
  observer_.enter_after(model.last_verdict);
  context_.events.push_back(ModelArrived{
      head.sender, {model.iteration, observer_.last_verdict()}, {payload.begin(), payload.end()}});
  observer_.say_ready(context_);
  return FrameUse::words;
}

/// A source asks for the model, in the middle of the run. If its edge is still in, it is a new process
/// without a state, so its predecessor is gone.
void PeerSession::hear_join(PeerId joiner) {
  if (!context_.has_started() || !context_.input.model_bytes) return;
  if (!parted_.contains(joiner)) context_.events.push_back(PeerDeparted{joiner, "it was started anew"});
  context_.events.push_back(ModelAsked{joiner});
}

/// True if the hello is of a new process under the id of a peer that this one has trained with.
bool PeerSession::is_of_successor(const FrameHeader& hello) {
  const IncomingLink* const link = find_source(hello.sender);
  const bool may_be = context_.has_started() && context_.input.model_bytes && hello.run_id == context_.run_id;
  if (!may_be || !link || link->is_known(hello.incarnation)) return false;
  // The predecessor may not have greeted this process. The new process is told from it by needing messages
  // that the predecessor had no more need of.
  return link->has_greeted() || (context_.is_destination(hello.sender) &&
                                 hello.iteration < outgoing_.retention().floor(hello.sender));
}

}  // namespace hearsay

#include "runtime/session/peer_session.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "runtime/settings/staleness.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

// The observer names who is missing; a peer that is ready gives it this much longer to do so.
constexpr Duration grace_for_the_observer = std::chrono::seconds(5);
constexpr Duration word_every = std::chrono::seconds(10);

constexpr std::uint64_t never_sent = std::numeric_limits<std::uint64_t>::max();

std::vector<PeerId> present(const std::vector<PeerId>& ids, const std::vector<PeerId>& absent) {
  std::vector<PeerId> rest;
  std::ranges::set_difference(ids, absent, std::back_inserter(rest));
  return rest;
}

}  // namespace

/// 2 where somebody's input is wrong, 3 where a peer is lost, 130 where the user stopped one before the run
/// began; 0 where the user wants it.
int exit_code_of(const FrameHeader& stop) {
  if (stop.payload_bytes == 0) return 0;
  return stop.slot == 2 || stop.slot == 130 ? static_cast<int>(stop.slot) : 3;
}

PeerSession::PeerSession(PeerSessionInput input)
    : input_(std::move(input)),
      run_id_(run_id(input_.agreement)),
      hello_(encode_agreement(input_.agreement)),
      greetings_(present(input_.sources, input_.absent), present(input_.destinations, input_.absent)),
      retention_(input_.destinations, input_.asynchronous) {
  for (const PeerId to : input_.destinations) {
    outgoing_.push_back({to});
    if (std::ranges::binary_search(input_.absent, to)) parted_.push_back({to});
  }
  for (const PeerId from : input_.sources) incoming_.emplace_back(from);
}

bool PeerSession::comes_later() const { return std::ranges::binary_search(input_.absent, input_.self); }

void PeerSession::shut_out(const std::string& reason) {
  if (!started_) fail(2, reason);
}

void PeerSession::begin(Instant now) {
  now_ = now;
  began_ = now;
  next_word_ = now + word_every;
  next_heartbeat_ = now + input_.heartbeat;
  neighbors_deadline_ = now + input_.start_patience;
  start_deadline_ = neighbors_deadline_ + grace_for_the_observer;
  resuming_ = input_.holds.has_value();
  // Until all are there nobody greets its neighbors then: the observer alone knows who is missing, and says so in time.
  if (resuming_) neighbors_deadline_ = start_deadline_;
  if (!resuming_) greet_neighbors();
  greet_observer();
  tell_when_ready();
}

void PeerSession::greet_neighbors() {
  for (OutgoingLink& link : outgoing_)
    if (started_ || !has_parted_from(link.to)) greet(link);
}

void PeerSession::go_on(SessionState state) {
  ensure(resuming_, "a session goes on from a checkpoint once");
  resuming_ = false;
  went_on_ = true;
  neighbors_deadline_ = now_ + input_.start_patience;
  start_deadline_ = neighbors_deadline_ + grace_for_the_observer;
  next_needed_ = state.next_needed;
  last_verdict_ = state.last_verdict;
  unanswered_ = std::move(state.untold);
  for (const auto& [to, next_needed] : state.released) retention_.release(to, next_needed);
  for (Outgoing& message : state.retained)
    retention_.keep(message.to, {message.key, std::move(message.packet), never_sent, message.marks});
  greet_neighbors();
  tell_when_ready();
}

bool PeerSession::retains() const {
  return std::ranges::any_of(outgoing_,
                             [this](const OutgoingLink& link) { return !retention_.of(link.to).empty(); });
}

SessionState PeerSession::state() const {
  SessionState state{next_needed_, last_verdict_, {}, {}, unanswered_};
  for (const OutgoingLink& link : outgoing_) {
    state.released.emplace_back(link.to, retention_.floor(link.to));
    for (const RetainedMessage& message : retention_.of(link.to))
      state.retained.push_back({link.to, message.key, message.packet, message.marks});
  }
  return state;
}

FrameHeader PeerSession::header(FrameKind kind) const {
  FrameHeader result;
  result.kind = kind;
  result.run_id = run_id_;
  result.sender = input_.self;
  result.incarnation = input_.incarnation;
  result.iteration = next_needed_;
  return result;
}

void PeerSession::say(PeerWord::Way way, PeerId to, FrameKind kind, std::span<const std::byte> payload) {
  outbox_.push_back({way, to, header(kind), {}, {payload.begin(), payload.end()}});
}

PeerSession::OutgoingLink& PeerSession::link_to(PeerId destination) {
  const auto found = std::ranges::lower_bound(outgoing_, destination, {}, &OutgoingLink::to);
  ensure(found != outgoing_.end() && found->to == destination, "a method sends only to its destinations");
  return *found;
}

bool PeerSession::is_destination(PeerId id) const {
  return std::ranges::binary_search(input_.destinations, id);
}

IncomingLink* PeerSession::find_source(PeerId id) {
  const auto found = std::ranges::lower_bound(incoming_, id, {}, &IncomingLink::source);
  return found != incoming_.end() && found->source == id ? &*found : nullptr;
}

void PeerSession::greet(OutgoingLink& link) {
  link.greeted_at = link.next_sequence;
  link.awaits_welcome = true;
  say(PeerWord::Way::outlet, link.to, FrameKind::hello, hello_);
  outbox_.back().header.sequence = link.next_sequence;
  outbox_.back().header.slot = has_parted_from(link.to) ? 1 : 0;
}

void PeerSession::send(Outgoing message, Instant posted) {
  if (has_parted_from(message.to)) return;
  if (!input_.asynchronous) needs_from(first_needed_in(message.key.iteration, input_.staleness));
  RetainedMessage retained{message.key, std::move(message.packet), 0, message.marks};
  send_data(link_to(message.to), retained, posted);
  retention_.keep(message.to, std::move(retained));
}

void PeerSession::send_data(OutgoingLink& link, RetainedMessage& message, Instant posted) {
  message.sequence = link.next_sequence++;
  FrameHeader head = header(FrameKind::data);
  head.iteration = message.key.iteration;
  head.slot = message.key.slot;
  head.sequence = message.sequence;
  head.degree = message.marks.degree;
  head.replica_digest = message.marks.replica_digest;
  outbox_.push_back({PeerWord::Way::outlet, link.to, head, message.packet, {}, posted});
}

/// Sources that it does not speak to anyway are told so at once: they keep what they sent
/// until then.
void PeerSession::needs_from(std::uint64_t iteration) {
  if (iteration <= next_needed_) return;
  next_needed_ = iteration;
  for (const IncomingLink& link : incoming_)
    if (!is_destination(link.source)) say(PeerWord::Way::reply, link.source, FrameKind::alive);
}

void PeerSession::say_stop(int exit_code, const std::string& reason) {
  if (is_second_) return;
  const auto say_it = [&](PeerWord::Way way, PeerId to) {
    say(way, to, FrameKind::stop, std::as_bytes(std::span(reason)));
    outbox_.back().header.slot = static_cast<Slot>(exit_code);
  };
  say_it(PeerWord::Way::observer, 0);
  for (const OutgoingLink& link : outgoing_) say_it(PeerWord::Way::outlet, link.to);
}

/// Gives up on peers that do not come up, and lets the neighbors know that this one is alive.
Instant PeerSession::tick(Instant now) {
  now_ = now;
  if (!started_ && !failed_) {
    if (!ready_ && now >= neighbors_deadline_) fail(3, missing_neighbor() + doubt_);
    if (ready_ && now >= start_deadline_) fail(3, missing_observer() + doubt_);
    if (now >= next_word_) {
      events_.push_back(StillWaits{whom_it_awaits(), now - began_});
      next_word_ = now + word_every;
    }
  }
  if (now >= next_heartbeat_) {
    next_heartbeat_ = now + input_.heartbeat;
    show_life();
  }
  const Instant deadline = started_ || failed_ ? Instant::max()
                           : ready_            ? start_deadline_
                                               : neighbors_deadline_;
  return std::min(next_heartbeat_, deadline);
}

void PeerSession::show_life() {
  if (resuming_) {
    for (const OutgoingLink& link : outgoing_) say(PeerWord::Way::outlet, link.to, FrameKind::alive);
    return observer_welcomed_ ? say_what_it_holds() : greet_observer();
  }
  if (joining_ && !started_) return show_that_it_joins();
  for (OutgoingLink& link : outgoing_) {
    // The hello or its answer went astray, or nobody is there yet; or is there again.
    if (link.awaits_welcome || has_parted_from(link.to)) {
      if (started_ || !has_parted_from(link.to)) greet(link);
    } else {
      say(PeerWord::Way::outlet, link.to, FrameKind::alive);
      outbox_.back().header.sequence = link.next_sequence;
    }
  }
  if (!observer_welcomed_) greet_observer();
  if (waits_at_checkpoint()) say_what_it_holds();
  if (!ready_) return tell_for_whom_it_waits();
  for (const IncomingLink& link : incoming_)
    if (!is_destination(link.source) && !has_parted_from(link.source))
      say(PeerWord::Way::reply, link.source, FrameKind::alive);
  show_life_to_observer();
}

/// This peer takes no part, and the others are told why.
void PeerSession::fail(int exit_code, const std::string& reason) {
  if (failed_) return;
  failed_ = true;
  events_.push_back(TakesNoPart{exit_code, reason});
  say_stop(exit_code, reason);
}

PeerSession::Heard PeerSession::hear_source(const FrameHeader& head, std::span<const std::byte> payload) {
  if (has_parted_from(head.sender)) return hear_parted(head, payload);
  if (head.kind == FrameKind::hello) {
    if (is_of_successor(head)) {
      events_.push_back(PeerDeparted{head.sender, "it was started anew"});
    } else if (head.slot == 1 && may_join()) {
      if (find_source(head.sender) && head.run_id == run_id_) begin_joining(head.sender);
    } else if (head.slot == 1 && started_) {
      if (!is_outdated(head)) events_.push_back(PeerDeparted{head.sender, parted_from_this});
    } else if (!resuming_) {
      answer_hello(head, payload);  // else the caller will try again, or be called itself
    }
    return Heard::words;
  }
  IncomingLink* const link = find_source(head.sender);
  // Nothing but a hello is heard from a stranger or from another run.
  if (!link || head.run_id != run_id_) return Heard::garbage;
  switch (head.kind) {
    case FrameKind::offer:
      say_taken_again(head.sender);
      return Heard::words;
    case FrameKind::parted:
      if (may_join())
        begin_joining(head.sender);
      else
        events_.push_back(PeerDeparted{head.sender, parted_from_this});
      return Heard::words;
    case FrameKind::join:
      hear_join(head.sender);
      return Heard::words;
    case FrameKind::data:
    case FrameKind::alive:
      break;
    case FrameKind::stop:
      // One that was refused takes no part, whoever had its name before. Whose input is wrong in the middle of the run
      // stays away alone; if not, the observer says so.
      if (!link->has_greeted_as(head.incarnation)) return Heard::garbage;
      if (started_ && exit_code_of(head) == 2) return Heard::words;
      hear_stop(head, payload);
      return Heard::words;
    default:
      return Heard::garbage;
  }
  const IncomingLink::Frame frame = link->judge(head);
  if (frame == IncomingLink::Frame::after_gap) ++counters_.gaps;
  if (link->must_ask_again(frame, head.kind)) say(PeerWord::Way::reply, head.sender, FrameKind::again);
  if (frame == IncomingLink::Frame::ungreeted) return Heard::words;
  if (is_destination(head.sender))
    retention_.release(head.sender, head.kind == FrameKind::data
                                        ? first_needed_in(head.iteration, input_.staleness)
                                        : head.iteration);
  if (head.kind == FrameKind::alive) return Heard::words;
  if (frame == IncomingLink::Frame::repeated) {
    ++counters_.repeated;
    return Heard::words;
  }
  return Heard::data;
}

void PeerSession::answer_hello(const FrameHeader& hello, std::span<const std::byte> payload) {
  const PeerId sender = hello.sender;
  IncomingLink* const link = find_source(sender);
  HelloVerdict verdict = judge_hello(input_.agreement, input_.self, payload, sender, link != nullptr);
  if (verdict.welcome() && is_destination(sender) && !input_.asynchronous && !has_parted_from(sender) &&
      hello.iteration < retention_.floor(sender))
    verdict.for_the_caller =
        "peer " + std::to_string(input_.self) + " keeps its messages from iteration " +
        std::to_string(retention_.floor(sender)) + " on, peer " + std::to_string(sender) +
        " came back needing those from " + std::to_string(hello.iteration) +
        " on; start it from its newest checkpoint (--resume), or all peers from a common one";
  if (verdict.welcome() && !is_possible(hello.iteration)) verdict.for_the_caller = impossible_return(hello);
  if (!verdict.welcome()) {
    ++counters_.refused;
    say(PeerWord::Way::reply, sender, FrameKind::refuse, std::as_bytes(std::span(verdict.for_the_caller)));
    if (!ready_ && !verdict.for_me.empty()) fail(2, verdict.for_me);
    return;
  }
  greetings_.called(sender, hello.incarnation);
  // Whoever welcomed this peer under that name has gone, or was not there to hear its hello.
  if (link->greeted(hello) && is_destination(sender)) greet(link_to(sender));
  say(PeerWord::Way::reply, sender, FrameKind::welcome);
  outbox_.back().header.sequence = hello.sequence;
  tell_when_ready();
}

PeerSession::Heard PeerSession::hear_destination(PeerId destination, const FrameHeader& head,
                                                 std::span<const std::byte> payload) {
  if (head.sender != destination || is_of_observer(head)) {
    link_to(destination).answers_instead = name_of_speaker(head);
    return Heard::garbage;
  }
  if (head.kind == FrameKind::refuse && !started_) {
    fail(2, printable_text(payload));
    return Heard::words;
  }
  if (head.run_id != run_id_) return Heard::garbage;
  if (head.kind == FrameKind::model) return hear_model(head, payload);
  if (hear_about_edge(destination, head)) return Heard::words;
  OutgoingLink& link = link_to(destination);
  switch (head.kind) {
    case FrameKind::welcome:
      hear_welcome(link, head);
      return Heard::words;
    case FrameKind::again:
      if (!resuming_) greet(link);
      return Heard::words;
    case FrameKind::alive:  // of one that this peer does not hear otherwise
      retention_.release(destination, head.iteration);
      return Heard::words;
    default:
      return Heard::garbage;
  }
}

/// What it holds was kept of an earlier run, which went further.
std::string PeerSession::impossible_return(const FrameHeader& hello) const {
  return "peer " + std::to_string(hello.sender) + " came back at iteration " +
         std::to_string(hello.iteration - 1) + ", farther than a run can be that peer " +
         std::to_string(input_.self) + " has at " + std::to_string(next_needed_ - 1) +
         "; its checkpoints are of an earlier run of this file, start it with those of this one";
}

void PeerSession::hear_welcome(OutgoingLink& link, const FrameHeader& head) {
  if (head.sequence != link.greeted_at || !link.awaits_welcome) return;  // the answer to an earlier hello
  if (!is_possible(head.iteration)) return;                              // it will be refused when it calls
  link.awaits_welcome = false;
  link.answers_instead.clear();
  greetings_.welcomed_by(link.to);
  tell_when_ready();
  retention_.release(link.to, head.iteration);
  for (RetainedMessage& message : retention_.of(link.to)) {
    if (message.sequence >= link.greeted_at && message.sequence < link.next_sequence) continue;
    send_data(link, message, now_);
    ++counters_.retransmitted;
  }
}

void PeerSession::tell_when_ready() {
  if (ready_ || joining_ || comes_later() || !greetings_.complete()) return;
  ready_ = true;
  say_ready();
}

}  // namespace hearsay

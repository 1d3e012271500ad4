#include "runtime/session/peer_session.hpp"

// Policy "drop": a peer that the run has gone on without, and that joins it anew (joining.hpp); both sides of that.

namespace hearsay {

namespace {

/// A neighbor answers at the end of its iteration; after so many signs of life without that, another one is asked.
constexpr int patience_heartbeats = 5;

}  // namespace

/// A neighbor has parted from this peer, which has not begun: it has no state to go on from, so it takes all its edges for out.
void PeerSession::begin_joining(PeerId neighbor) {
  if (joining_) return joining_->question.add(neighbor);
  joining_.emplace(Joining{JoiningQuestion(neighbor, patience_heartbeats * input_.heartbeat, now_)});
  ready_ = false;
  neighbors_deadline_ = now_ + input_.start_patience;
  for (const OutgoingLink& link : outgoing_)
    if (!has_parted_from(link.to)) parted_.push_back({link.to});
  ask_for_model();
}

void PeerSession::ask_for_model() {
  say(PeerWord::Way::outlet, joining_->question.whom(now_), FrameKind::join);
}

/// Until the run begins here. Neighbors that have not answered yet may still find out that they have parted.
void PeerSession::show_that_it_joins() {
  if (!observer_welcomed_) greet_observer();
  if (joining_->has_model) return say_ready();
  for (OutgoingLink& link : outgoing_)
    if (!joining_->question.may_ask(link.to)) greet(link);
  ask_for_model();
}

PeerSession::Heard PeerSession::hear_model(const FrameHeader& head, std::span<const std::byte> payload) {
  const bool fits = input_.model_bytes == payload.size() && head.iteration < input_.iterations &&
                    head.sequence <= head.iteration + 1;
  if (!joining_ || !fits) return Heard::garbage;
  if (joining_->has_model) return Heard::words;  // of another one that was asked
  joining_->has_model = ready_ = true;
  start_deadline_ = now_ + input_.start_patience;
  next_needed_ = head.iteration + 1;
  last_verdict_ = head.sequence == 0 ? std::nullopt : std::optional(head.sequence - 1);
  events_.push_back(
      ModelArrived{head.sender, {head.iteration, last_verdict_}, {payload.begin(), payload.end()}});
  say_ready();
  return Heard::words;
}

void PeerSession::say_ready() {
  say(PeerWord::Way::observer, 0, joining_ && !started_ ? FrameKind::join : FrameKind::ready);
  outbox_.back().header.sequence = last_verdict_ ? *last_verdict_ + 1 : 0;
}

/// From a source, in the middle of the run. It does not know what went before, whatever this peer knows of it.
void PeerSession::hear_join(PeerId joiner) {
  if (!started_ || !input_.model_bytes) return;
  if (!has_parted_from(joiner)) events_.push_back(PeerDeparted{joiner, "it was started anew"});
  events_.push_back(ModelAsked{joiner});
}

void PeerSession::give(const ModelCopy& copy) {
  if (!copy.model) {
    const std::string why = "the run ends before peer " + std::to_string(copy.to) + " can join it";
    return say(PeerWord::Way::reply, copy.to, FrameKind::refuse, std::as_bytes(std::span(why)));
  }
  say(PeerWord::Way::reply, copy.to, FrameKind::model, copy.model->bytes());
  FrameHeader& head = outbox_.back().header;
  head.iteration = copy.entry.iteration;
  head.sequence = copy.entry.last_verdict ? *copy.entry.last_verdict + 1 : 0;
}

/// A hello of a process that was started under the name of one that this peer trained with.
bool PeerSession::is_of_successor(const FrameHeader& hello) {
  const IncomingLink* const link = find_source(hello.sender);
  if (!started_ || !input_.model_bytes || !link || hello.run_id != run_id_) return false;
  if (link->has_greeted_as(hello.incarnation)) return false;
  // Its predecessor may have been gone before this process was there, which knows it by what it would need again.
  return link->has_greeted() ||
         (is_destination(hello.sender) && hello.iteration < retention_.floor(hello.sender));
}

}  // namespace hearsay

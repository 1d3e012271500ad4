#include <algorithm>

#include "runtime/foundation/little_endian.hpp"
#include "runtime/session/peer_session.hpp"

// A peer's conversation with the observer.

namespace hearsay {

namespace {

/// A peer passes no evaluation before the verdict on the one before it: two of them, that of the end, and the result.
constexpr std::size_t most_unanswered = 4;

}  // namespace

void PeerSession::greet_observer(std::uint64_t challenge) {
  say(PeerWord::Way::observer, 0, FrameKind::hello, hello_);
  outbox_.back().header.iteration = input_.iterations;
  outbox_.back().header.sequence = challenge;
  outbox_.back().header.slot = resuming_ || waits_at_checkpoint() ? 1 : started_ || went_on_ ? 2 : 0;
}

void PeerSession::tell_observer(Told told) {
  say_to_observer(told);
  if (told.kind != FrameKind::evaluation && told.kind != FrameKind::result) return;
  // Only a peer that goes on without the observer has more: of those it will never need all.
  if (unanswered_.size() == most_unanswered) unanswered_.erase(unanswered_.begin());
  unanswered_.push_back(std::move(told));
}

void PeerSession::say_to_observer(const Told& told) {
  say(PeerWord::Way::observer, 0, told.kind, told.payload);
  outbox_.back().header.iteration = told.iteration;
}

void PeerSession::turn_from_observer(std::uint64_t completed) {
  needs_from(completed + 1);
  ++turns_from_observer_;
  show_life_to_observer();
}

void PeerSession::show_life_to_observer() {
  say(PeerWord::Way::observer, 0, FrameKind::alive);
  outbox_.back().header.slot = started_ ? 1 + turns_from_observer_ : 0;
  outbox_.back().header.sequence = last_verdict_ ? *last_verdict_ + 1 : 0;
}

void PeerSession::tell_observer_again() {
  if (resuming_ || waits_at_checkpoint()) say_what_it_holds();
  if (resuming_ || !ready_) return;
  say_ready();
  for (const Told& told : unanswered_) say_to_observer(told);
}

/// Where all were told from where to go on, that alone: the observer that said so may have died, and the next one ask again.
void PeerSession::say_what_it_holds() {
  const std::vector<std::uint64_t> holds = all_go_on_from_ ? std::vector{*all_go_on_from_} : *input_.holds;
  std::vector<std::byte> payload(8 * holds.size());
  for (std::size_t k = 0; k < holds.size(); ++k)
    store_little_endian(holds[k], std::span(payload).subspan(8 * k, 8));
  say(PeerWord::Way::observer, 0, FrameKind::holds, payload);
}

PeerSession::Heard PeerSession::hear_observer(const FrameHeader& head, std::span<const std::byte> payload,
                                              Instant now) {
  if (!is_of_observer(head)) {
    observer_answers_instead_ = name_of_speaker(head);
    return Heard::garbage;
  }
  if (head.kind == FrameKind::refuse && !started_) {
    is_second_ = head.slot == 1;
    fail(2, printable_text(payload));
    return Heard::words;
  }
  if (head.run_id != run_id_) return Heard::garbage;
  switch (head.kind) {
    case FrameKind::alive:
      hear_observer_alive(head, payload);
      return Heard::words;
    case FrameKind::again:
      greet_observer(head.sequence);
      return Heard::words;
    case FrameKind::welcome:
      observer_welcomed_ = true;
      observer_answers_instead_.clear();
      tell_observer_again();
      return Heard::words;
    case FrameKind::resume:
      if (resuming_ && !told_from_where_)
        events_.push_back(ResumeFrom{head.slot == 0 ? std::optional(head.iteration) : std::nullopt});
      if (!told_from_where_ && head.slot == 0) all_go_on_from_ = head.iteration;
      told_from_where_ = true;
      return Heard::words;
    case FrameKind::start:
      return hear_start(head, now);
    case FrameKind::verdict:
      // One that comes back is told the last ones again, once it is what it was.
      if (resuming_ || (joining_ && !joining_->has_model) ||
          (last_verdict_ && head.iteration <= *last_verdict_))
        return Heard::words;
      last_verdict_ = head.iteration;
      std::erase_if(unanswered_, [&](const Told& told) {
        return told.kind == FrameKind::evaluation && told.iteration <= head.iteration;
      });
      events_.push_back(VerdictArrived{head.iteration, head.slot == 1, head.sequence});
      return Heard::words;
    case FrameKind::departed:
      if (head.slot != input_.self && !may_join()) hear_departed(head);
      return Heard::words;
    case FrameKind::stop:
      hear_stop(head, payload);
      return Heard::words;
    case FrameKind::bye:
      events_.push_back(EveryPeerEnded{head.slot == 4 ? 4 : head.slot == 130 ? 130 : 0});
      return Heard::words;
    default:
      return Heard::garbage;
  }
}

/// The word may be late: what was started in the place of the one that ended may train with this peer already.
void PeerSession::hear_departed(const FrameHeader& head) {
  const IncomingLink* const link = find_source(head.slot);
  const bool has_successor =
      link && link->has_greeted() && !link->has_greeted_as(static_cast<std::uint32_t>(head.sequence));
  if (!has_successor) events_.push_back(PeerDeparted{head.slot, "its process has ended"});
}

/// What the observer still does not have after a few signs of life went astray. (One may have left before it came.)
void PeerSession::hear_observer_alive(const FrameHeader& head, std::span<const std::byte> payload) {
  if (!started_) others_await_ = printable_text(payload);
  if (head.slot == 2) return;
  const bool lacks = std::ranges::any_of(unanswered_, [&](const Told& told) {
    return told.kind == FrameKind::result ? head.slot == 0 : told.iteration > head.iteration;
  });
  observer_lacks_ = lacks ? observer_lacks_ + 1 : 0;
  if (observer_lacks_ < 3) return;
  observer_lacks_ = 0;
  tell_observer_again();
}

PeerSession::Heard PeerSession::hear_start(const FrameHeader& head, Instant now) {
  const bool lacks_model = joining_ ? !joining_->has_model : comes_later();
  if (started_ || lacks_model) return Heard::words;
  if (head.iteration != input_.iterations)
    fail(2, "peer 0 runs " + std::to_string(head.iteration) + " iterations, peer " +
                std::to_string(input_.self) + " " + std::to_string(input_.iterations) +
                "; give both the same run.iterations");
  started_ = true;
  if (joining_) greet_neighbors();
  for (const Told& told : unanswered_) say_to_observer(told);  // of an earlier life
  // Between hosts there is no common clock: the run began when the word arrives, or so long before as it says.
  const Duration ago(std::min(head.sequence, std::uint64_t{due_limit_ns}));
  events_.push_back(RunStarts{input_.same_machine ? Instant(Duration(head.due_ns)) : now - ago});
  return Heard::words;
}

}  // namespace hearsay

#include "runtime/zmq/observer_lane.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/wire/words_to_observer.hpp"

namespace hearsay {

void ObserverLane::complete(FrameHeader& header, Egress& egress, Instant now) {
  const bool is_report = header.kind == FrameKind::evaluation || header.kind == FrameKind::answer;
  if (is_report && is_on_the_way(header.iteration)) {
    egress.stamp(header, ways_.bytes.of(header.kind), now, now, ways_.to);
  } else if (header.kind == FrameKind::alive && !verdicts_.empty()) {
    to_observer::Alive alive = to_observer::as_alive(header);
    alive.last_verdict = std::max(alive.last_verdict, std::optional(std::ranges::max(verdicts_)));
    put(alive, header);
  }
}

void ObserverLane::hold(const FrameHeader& word, PacketRef payload, Instant now, HoldQueue& queue) {
  if (held_ == most_held) return;
  ++held_;
  if (word.kind == FrameKind::verdict) verdicts_.push_back(word.iteration);
  HoldQueue::Held held{.due = due_instant(word, now),
                       .sequence = next_sequence_++,
                       .frame_bytes = ways_.bytes.of(word.kind),
                       .arrival = ways_.incoming,
                       .key = {word.iteration, 0, observer_peer},
                       .packet = std::move(payload)};
  held.word = word;
  queue.add(std::move(held));
}

void ObserverLane::release(const FrameHeader& word) {
  --held_;
  const auto verdict = std::ranges::find(verdicts_, word.iteration);
  if (word.kind == FrameKind::verdict && verdict != verdicts_.end()) verdicts_.erase(verdict);
}

}  // namespace hearsay

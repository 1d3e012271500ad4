#include "runtime/session/retention.hpp"

#include <algorithm>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

Retention::Retention(const std::vector<PeerId>& destinations, bool asynchronous)
    : asynchronous_(asynchronous) {
  for (const PeerId to : destinations) shelves_.push_back({to});
}

std::size_t Retention::place(PeerId to) const {
  const auto found = std::ranges::lower_bound(shelves_, to, {}, &Shelf::to);
  ensure(found != shelves_.end() && found->to == to, "messages are kept for destinations only");
  return static_cast<std::size_t>(found - shelves_.begin());
}

void Retention::keep(PeerId to, RetainedMessage message) {
  std::vector<RetainedMessage>& messages = of(to);
  if (asynchronous_)
    std::erase_if(messages, [&](const RetainedMessage& older) { return older.key.slot == message.key.slot; });
  // Messages that are needed no more are dropped from the front.
  ensure(asynchronous_ || messages.empty() || messages.back().key.iteration <= message.key.iteration,
         "messages to a destination are kept in the order of their iterations");
  messages.push_back(std::move(message));
}

void Retention::release(PeerId to, std::uint64_t next_needed) {
  Shelf& kept = shelf(to);
  if (asynchronous_ || next_needed <= kept.floor) return;
  kept.floor = next_needed;
  const auto needed = std::ranges::find_if(
      kept.messages, [&](const RetainedMessage& message) { return message.key.iteration >= next_needed; });
  kept.messages.erase(kept.messages.begin(), needed);
}

void Retention::abandon(PeerId to) {
  Shelf& kept = shelf(to);
  kept.messages.clear();
  kept.floor = 0;  // a neighbor that comes back may be at an earlier iteration than before
}

}  // namespace hearsay

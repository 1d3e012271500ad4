#include "runtime/transfer/oldest_first.hpp"

#include <algorithm>
#include <utility>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

void OldestFirst::add(Message message) { lanes_[message.destination].waiting.push_back(std::move(message)); }

bool OldestFirst::is_empty() const {
  return std::ranges::all_of(lanes_, [](const Lane& lane) { return lane.waiting.empty(); });
}

std::optional<std::uint64_t> OldestFirst::first_number(std::size_t destination) const {
  const auto& waiting = lanes_[destination].waiting;
  if (waiting.empty()) return std::nullopt;
  return waiting.front().header.sequence;
}

std::optional<OldestFirst::Message> OldestFirst::next(Instant now,
                                                      std::span<const std::uint64_t> unsent_bytes) {
  ensure(unsent_bytes.size() == lanes_.size(), "each destination has one connection");
  for (std::size_t k = 0; k < lanes_.size(); ++k) {
    // Heartbeats to one that stands still add bytes.
    if (unsent_bytes[k] < lanes_[k].unsent_bytes) lanes_[k].moved = now;
    lanes_[k].unsent_bytes = unsent_bytes[k];
  }
  Lane* const lane = oldest();
  if (lane == nullptr) return std::nullopt;
  if (!waits_since_) waits_since_ = now;
  if (is_held(lane->waiting.front(), now)) return std::nullopt;
  return take(*lane);
}

std::optional<OldestFirst::Message> OldestFirst::next() {
  Lane* const lane = oldest();
  if (lane == nullptr) return std::nullopt;
  return take(*lane);
}

OldestFirst::Lane* OldestFirst::oldest() {
  Lane* found = nullptr;
  for (Lane& lane : lanes_)
    if (!lane.waiting.empty() &&
        (found == nullptr || lane.waiting.front().header.iteration < found->waiting.front().header.iteration))
      found = &lane;
  return found;
}

bool OldestFirst::is_held(const Message& message, Instant now) const {
  const Lane* const own = &lanes_[message.destination];
  return std::ranges::any_of(lanes_, [&](const Lane& other) {
    return &other != own && other.unsent_bytes > 0 && other.iteration > 0 &&
           other.iteration < message.header.iteration &&
           now < std::max(other.moved, *waits_since_) + patience;
  });
}

OldestFirst::Message OldestFirst::take(Lane& lane) {
  Message message = std::move(lane.waiting.front());
  lane.waiting.pop_front();
  waits_since_.reset();
  lane.iteration = message.header.iteration;
  return message;
}

}  // namespace hearsay

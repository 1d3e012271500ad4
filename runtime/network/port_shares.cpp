#include "runtime/network/port_shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hearsay {

void PortShares::give(std::size_t place, std::uint64_t bytes, Instant now) {
  advance(now);
  if (place >= left_.size()) left_.resize(place + 1, 0.0);
  if (left_[place] == 0.0) {
    sending_.push_back(place);
    has_changed_ = true;
  }
  left_[place] += static_cast<double>(bytes);
}

std::optional<PortShares::Shares> PortShares::changed(Instant now) {
  advance(now);
  if (!has_changed_) return std::nullopt;
  has_changed_ = false;
  if (sending_.empty()) return std::nullopt;
  return Shares{sending_, {share()}};
}

Instant PortShares::next() const {
  if (sending_.size() < 2) return Instant::max();
  double least = std::numeric_limits<double>::max();
  for (const std::size_t place : sending_) least = std::min(least, left_[place]);
  return as_of_ + Bandwidth{share()}.time_for(static_cast<std::uint64_t>(std::ceil(least)));
}

// Whoever has sent all keeps its share until somebody asks, so the others have had theirs all the time.
void PortShares::advance(Instant now) {
  const double seconds_past = std::chrono::duration<double>(now - as_of_).count();
  as_of_ = now;
  if (sending_.empty()) return;
  const double sent = share() * seconds_past;
  for (const std::size_t place : sending_) left_[place] = std::max(0.0, left_[place] - sent);
  const auto gone = std::erase_if(sending_, [this](std::size_t place) { return left_[place] == 0.0; });
  has_changed_ = has_changed_ || gone > 0;
}

}  // namespace hearsay

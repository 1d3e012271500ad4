#include "runtime/network/port_shares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hearsay {

namespace {

/// Connections that are ready within so much time are ready together: those of a round, say, which were given
/// their messages one after the other.
constexpr double at_once_s = 1e-3;

}  // namespace

void PortShares::give(std::size_t place, std::uint64_t bytes, Instant now) {
  advance(now);
  if (place >= left_.size()) left_.resize(place + 1, 0.0);
  if (left_[place] == 0.0) {
    sending_.push_back(place);
    has_changed_ = true;
  }
  left_[place] += static_cast<double>(bytes);
}

void PortShares::forget(std::size_t place) {
  if (place >= left_.size() || left_[place] == 0.0) return;
  left_[place] = 0.0;
  std::erase(sending_, place);
  has_changed_ = true;
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
  bool is_any_ready = false;
  for (const std::size_t place : sending_) {
    left_[place] -= sent;
    is_any_ready = is_any_ready || left_[place] <= 0.0;
  }
  if (is_any_ready) remove_ready(share() * at_once_s);
}

void PortShares::remove_ready(double bytes_at_most) {
  std::erase_if(sending_, [&](std::size_t place) {
    const bool is_ready = left_[place] <= bytes_at_most;
    if (is_ready) left_[place] = 0.0;
    return is_ready;
  });
  has_changed_ = true;
}

}  // namespace hearsay

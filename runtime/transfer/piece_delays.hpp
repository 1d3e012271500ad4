#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "runtime/foundation/units.hpp"
#include "runtime/transfer/quickest_delay.hpp"
#include "runtime/transfer/take_window.hpp"

namespace hearsay {

/// How long pieces of each length take that no other bytes keep waiting. Lengths between two powers of two
/// count as one.
class PieceDelays {
 public:
  /// Takes in a delay. Returns the quickest one of that length, which may be this one. The end of a frame may
  /// be shorter than any piece, and is no measure of them.
  Duration note(std::uint64_t bytes, Duration delay, Instant now) {
    if (bytes < TakeWindow::least_piece_bytes) return alone(bytes);
    return lengths_[place_of(bytes)].of(delay, now);
  }
  /// Returns the quickest delay of that length; if none is known, what the next shorter one says, in
  /// proportion; else what the next longer one says.
  Duration alone(std::uint64_t bytes) const {
    const std::size_t place = place_of(bytes);
    for (std::size_t k = place + 1; k-- > 0;)
      if (lengths_[k].is_known()) return lengths_[k].quickest() * (1 << (place - k));
    for (std::size_t k = place + 1; k < lengths_.size(); ++k)
      if (lengths_[k].is_known()) return lengths_[k].quickest();
    return unknown;
  }

  /// Returns the length up to which pieces take no longer than the shortest ones and `extra`, or the next
  /// longer one if nothing is known of that.
  std::uint64_t bytes_within(Duration extra) const {
    const auto may_be = [&](const QuickestDelay& longer) {
      return !longer.is_known() || longer.quickest() <= lengths_[0].quickest() + extra;
    };
    std::size_t place = 0;
    while (place + 1 < lengths_.size() && lengths_[place].is_known() && may_be(lengths_[place + 1])) ++place;
    return TakeWindow::least_piece_bytes << place;
  }

 private:
  static constexpr Duration unknown = std::chrono::milliseconds(10);
  static constexpr int shortest_width = std::bit_width(TakeWindow::least_piece_bytes);
  static std::size_t place_of(std::uint64_t bytes) {
    const int width =
        std::bit_width(std::clamp(bytes, TakeWindow::least_piece_bytes, TakeWindow::most_piece_bytes));
    return static_cast<std::size_t>(width - shortest_width);
  }

  std::array<QuickestDelay, std::bit_width(TakeWindow::most_piece_bytes) - shortest_width + 1> lengths_;
};

}  // namespace hearsay

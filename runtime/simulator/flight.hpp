#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace hearsay {

/// The frames that are on their way, each at a place of its own, by which events name it.
template <class Frame>
class Flight {
 public:
  /// Returns the place of the frame.
  std::uint32_t add(Frame frame) {
    if (free_places_.empty()) {
      frames_.push_back(std::move(frame));
      return static_cast<std::uint32_t>(frames_.size() - 1);
    }
    const std::uint32_t free = free_places_.back();
    free_places_.pop_back();
    frames_[free] = std::move(frame);
    return free;
  }
  Frame& operator[](std::uint32_t place) { return frames_[place]; }
  const Frame& operator[](std::uint32_t place) const { return frames_[place]; }
  /// The frame has arrived. Another one may have its place.
  void free(std::uint32_t place) { free_places_.push_back(place); }
  /// Removes and returns the frame.
  Frame take(std::uint32_t place) {
    free(place);
    return std::exchange(frames_[place], Frame{});
  }

 private:
  std::vector<Frame> frames_;
  std::vector<std::uint32_t> free_places_;
};

}  // namespace hearsay

#pragma once

#include <cstddef>
#include <span>

namespace hearsay {

/// A message from front to back: what is written or read is taken off as one piece after the other.
template <class Byte>
class BytePieces {
 public:
  explicit BytePieces(std::span<Byte> bytes) : rest_(bytes) {}

  std::span<Byte> rest() const { return rest_; }
  bool has(std::size_t bytes) const { return rest_.size() >= bytes; }
  /// The next `bytes`, which are there.
  std::span<Byte> take(std::size_t bytes) {
    const auto taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }

 private:
  std::span<Byte> rest_;
};

}  // namespace hearsay

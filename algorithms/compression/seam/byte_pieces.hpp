#pragma once

#include <cstddef>
#include <span>

namespace hearsay {

/// A message from front to back: what is written or read is split off piece by piece.
template <class Byte>
class BytePieces {
 public:
  explicit BytePieces(std::span<Byte> bytes) : rest_(bytes) {}

  std::span<Byte> rest() const { return rest_; }
  bool has(std::size_t bytes) const { return rest_.size() >= bytes; }
  /// Splits off the next `bytes` bytes, which must be there.
  std::span<Byte> take(std::size_t bytes) {
    const auto taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }

 private:
  std::span<Byte> rest_;
};

}  // namespace hearsay

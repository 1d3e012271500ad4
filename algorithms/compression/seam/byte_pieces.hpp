#pragma once

#include <cstddef>
#include <span>

namespace hearsay {

/// Writes or reads a message from front to back, splitting off piece after piece.
template <class Byte>
class BytePieces {
 public:
  explicit BytePieces(std::span<Byte> bytes) : rest_(bytes) {}

  std::span<Byte> rest() const { return rest_; }
  bool has(std::size_t bytes) const { return rest_.size() >= bytes; }
  /// Splits off the next `bytes` bytes and returns them. They must be there (`has`).
  std::span<Byte> take(std::size_t bytes) {
    const auto taken = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return taken;
  }

 private:
  std::span<Byte> rest_;
};

}  // namespace hearsay

#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/foundation/little_endian.hpp"

namespace hearsay {

/// Appends numbers (little-endian) and bytes to a buffer.
class ByteWriter {
 public:
  template <std::unsigned_integral Number>
  void number(Number value) {
    std::array<std::byte, sizeof value> in_order;
    store_little_endian(value, in_order);
    bytes(in_order);
  }
  void bytes(std::span<const std::byte> more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }

  std::span<const std::byte> written() const { return bytes_; }
  std::vector<std::byte> take() && { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads what a ByteWriter wrote. Total on arbitrary bytes: a read beyond the end sets `failed`. From then on
/// every number is 0, and every span of bytes is empty.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <std::unsigned_integral Number>
  Number number() {
    const auto bytes = this->bytes(sizeof(Number));
    return failed_ ? Number{0} : load_little_endian<Number>(bytes);
  }
  /// Returns the next `count` bytes. `count` may be any number, such as one from untrusted bytes.
  std::span<const std::byte> bytes(std::uint64_t count) {
    if (failed_ || count > rest_.size()) {
      fail();
      return {};
    }
    const auto taken = rest_.first(static_cast<std::size_t>(count));
    rest_ = rest_.subspan(taken.size());
    return taken;
  }

  void fail() {
    failed_ = true;
    rest_ = {};
  }
  bool failed() const { return failed_; }
  /// Returns the number of bytes that are not read yet.
  std::size_t left() const { return rest_.size(); }
  /// True if no read failed and no byte is left.
  bool read_whole() const { return !failed_ && rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
  bool failed_ = false;
};

}  // namespace hearsay

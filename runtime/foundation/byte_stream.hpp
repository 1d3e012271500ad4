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

/// Puts numbers (little-endian) and bytes one behind the other.
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

/// Reads them again, total on arbitrary bytes: once something is asked for that is not there, `failed` is
/// true, every number is 0 and every run of bytes empty.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  template <std::unsigned_integral Number>
  Number number() {
    const auto bytes = this->bytes(sizeof(Number));
    return failed_ ? Number{0} : load_little_endian<Number>(bytes);
  }
  /// `count` may be anything that a stranger wrote.
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
  std::size_t left() const { return rest_.size(); }
  /// Everything was there, and nothing more.
  bool read_whole() const { return !failed_ && rest_.empty(); }

 private:
  std::span<const std::byte> rest_;
  bool failed_ = false;
};

}  // namespace hearsay

#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace hearsay {

/// Bytes that do not change. All copies share them.
class SharedBytes {
 public:
  SharedBytes() = default;
  SharedBytes(std::vector<std::byte> bytes)
      : SharedBytes(bytes.empty() ? nullptr
                                  : std::make_shared<const std::vector<std::byte>>(std::move(bytes))) {}
  explicit SharedBytes(std::span<const std::byte> bytes)
      : SharedBytes(bytes.empty()
                        ? nullptr
                        : std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end())) {}
  /// Bytes that stand elsewhere, unchanged as long as there is a copy of `owner`.
  SharedBytes(std::shared_ptr<const void> owner, std::span<const std::byte> bytes)
      : owner_(std::move(owner)), bytes_(bytes) {}

  std::span<const std::byte> bytes() const { return bytes_; }
  /// Returns some of the bytes, `part`, with the same owner.
  SharedBytes only(std::span<const std::byte> part) const { return {owner_, part}; }
  operator std::span<const std::byte>() const { return bytes(); }
  std::size_t size() const { return bytes().size(); }
  bool operator==(const SharedBytes& other) const { return std::ranges::equal(bytes_, other.bytes_); }

 private:
  explicit SharedBytes(const std::shared_ptr<const std::vector<std::byte>>& owner)
      : owner_(owner), bytes_(owner ? std::span<const std::byte>(*owner) : std::span<const std::byte>()) {}

  std::shared_ptr<const void> owner_;
  std::span<const std::byte> bytes_;
};

}  // namespace hearsay

#pragma once

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
      : bytes_(bytes.empty() ? nullptr : std::make_shared<const std::vector<std::byte>>(std::move(bytes))) {}
  explicit SharedBytes(std::span<const std::byte> bytes)
      : bytes_(bytes.empty() ? nullptr
                             : std::make_shared<const std::vector<std::byte>>(bytes.begin(), bytes.end())) {}

  std::span<const std::byte> bytes() const {
    return bytes_ ? std::span<const std::byte>(*bytes_) : std::span<const std::byte>();
  }
  operator std::span<const std::byte>() const { return bytes(); }
  std::size_t size() const { return bytes().size(); }

 private:
  std::shared_ptr<const std::vector<std::byte>> bytes_;
};

}  // namespace hearsay

#pragma once

#include <cstdint>

namespace hearsay {

/// A checksum of 16 bits over the codes of a bucket: each code is mixed in by xor, multiplication and
/// folding.
class CodeChecksum {
 public:
  void add(std::int64_t code) {
    hash_ = (hash_ ^ static_cast<std::uint64_t>(code)) * 0x9E3779B97F4A7C15u;
    hash_ ^= hash_ >> 32;
  }
  std::uint16_t value() const { return static_cast<std::uint16_t>(hash_ >> 48); }

 private:
  std::uint64_t hash_ = 0x6D0F27BD;
};

}  // namespace hearsay

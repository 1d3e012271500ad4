#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hearsay {

/// A checksum of 16 bits over the codes of a bucket: each code is mixed in by xor, multiplication and
/// folding.
class CodeChecksum {
 public:
  void add(std::int64_t code) {
    hash_ = (hash_ ^ static_cast<std::uint64_t>(code)) * 0x9E3779B97F4A7C15u;
    hash_ ^= hash_ >> 32;
  }
  /// How many buckets have their codes mixed in at the same time. Each code waits for the one before it, but
  /// not for those of other buckets.
  static constexpr std::size_t together = 4;
  /// The checksums of the codes of some buckets, which may be none.
  static std::array<std::uint16_t, together> of(const std::array<std::span<const double>, together>& codes) {
    std::size_t common = codes[0].size();
    for (const auto& bucket : codes) common = std::min(common, bucket.size());
    std::array<CodeChecksum, together> sums;
    for (std::size_t i = 0; i < common; ++i)
      for (std::size_t b = 0; b < together; ++b) sums[b].add(static_cast<std::int64_t>(codes[b][i]));
    std::array<std::uint16_t, together> values;
    for (std::size_t b = 0; b < together; ++b) {
      for (const double code : codes[b].subspan(common)) sums[b].add(static_cast<std::int64_t>(code));
      values[b] = sums[b].value();
    }
    return values;
  }
  std::uint16_t value() const { return static_cast<std::uint16_t>(hash_ >> 48); }

 private:
  std::uint64_t hash_ = 0x6D0F27BD;
};

}  // namespace hearsay

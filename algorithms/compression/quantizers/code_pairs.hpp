#pragma once

#include <cstddef>
#include <cstdint>

#include "algorithms/compression/seam/quantizer.hpp"

namespace hearsay {

/// Two codes of a range of at most 32 codes as one index below code_pairs: 5 bits each, the first code
/// lowest.
constexpr unsigned code_shift = 5;
constexpr std::size_t code_pairs = std::size_t{1} << (2 * code_shift);
class CodePairs {
 public:
  explicit CodePairs(const CodeRange& range) : least_(static_cast<std::uint32_t>(range.least)) {}
  std::size_t index(const std::int32_t* codes) const {
    return offset(codes[0]) | std::size_t{offset(codes[1])} << code_shift;
  }
  std::int32_t first(std::size_t index) const { return code(index & ((1u << code_shift) - 1)); }
  std::int32_t second(std::size_t index) const { return code(index >> code_shift); }

 private:
  // Unsigned, so that codes outside the range wrap around instead of overflowing.
  std::uint32_t offset(std::int32_t code) const { return static_cast<std::uint32_t>(code) - least_; }
  std::int32_t code(std::size_t offset) const {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(offset) + least_);
  }

  std::uint32_t least_;
};

}  // namespace hearsay

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "algorithms/compression/quantizer.hpp"

namespace hearsay {

// What entropy_coder.hpp makes symbols of.

/// Numbers below are symbols of their own.
constexpr std::uint32_t own_symbols = 32;
constexpr unsigned octave_bits = 3;  ///< of the symbols of an octave
constexpr unsigned first_octave = 5;

/// Codes to numbers >= 0 and back.
class Numbering {
 public:
  explicit Numbering(const CodeRange& range) : signed_(range.least < 0), least_(signed_ ? 0 : range.least) {}

  std::uint32_t number(std::int32_t code) const {
    const auto q = static_cast<std::uint32_t>(code) - static_cast<std::uint32_t>(least_);
    return signed_ ? q << 1 ^ (0u - (q >> 31)) : q;
  }
  std::int32_t code(std::uint32_t number) const {
    const std::uint32_t q = signed_ ? number >> 1 ^ (0u - (number & 1)) : number;
    return static_cast<std::int32_t>(q + static_cast<std::uint32_t>(least_));
  }
  /// The largest number of a range.
  std::uint32_t most(const CodeRange& range) const {
    return std::max(number(range.least), number(range.most));
  }

 private:
  bool signed_;
  std::int32_t least_;
};

inline unsigned extra_bits(std::uint32_t number) {
  return number < own_symbols ? 0 : static_cast<unsigned>(std::bit_width(number)) - 1 - octave_bits;
}

inline std::uint32_t symbol_of(std::uint32_t number) {
  if (number < own_symbols) return number;
  const auto octave = static_cast<unsigned>(std::bit_width(number)) - 1;
  return own_symbols + ((octave - first_octave) << octave_bits) + (number >> (octave - octave_bits)) -
         (1u << octave_bits);
}

/// The smallest number of a symbol, and how many bits are added to it.
struct SymbolNumbers {
  std::uint32_t first;
  unsigned extra_bits;
};
inline SymbolNumbers numbers_of(std::uint32_t symbol) {
  if (symbol < own_symbols) return {symbol, 0};
  const unsigned octave = first_octave + ((symbol - own_symbols) >> octave_bits);
  const std::uint32_t leading = (1u << octave_bits) | ((symbol - own_symbols) & ((1u << octave_bits) - 1));
  return {leading << (octave - octave_bits), octave - octave_bits};
}

/// Symbols that pairs are made of are below.
constexpr std::uint32_t pair_symbols = 16;
constexpr unsigned pair_shift = 4;

/// Two codes of a range of at most 32 as one index.
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
  // Without overflow at the ends of the numbers, where an index is none of the range.
  std::uint32_t offset(std::int32_t code) const { return static_cast<std::uint32_t>(code) - least_; }
  std::int32_t code(std::size_t offset) const {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(offset) + least_);
  }

  std::uint32_t least_;
};

}  // namespace hearsay

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "algorithms/compression/seam/quantizer.hpp"

namespace hearsay {

// Codes to numbers to symbols, for entropy_coder.hpp.

/// Numbers below this are symbols themselves; larger ones share symbols, 8 to the octave [2^k, 2^(k+1)).
constexpr std::uint32_t own_symbols = 32;
constexpr unsigned octave_bits = 3;  ///< 2^octave_bits symbols per octave
constexpr unsigned first_octave = 5;

/// Codes to numbers >= 0 and back: zigzag if the range has negative codes, else q - least.
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
  /// The largest number of a code of the range.
  std::uint32_t most(const CodeRange& range) const {
    return std::max(number(range.least), number(range.most));
  }

 private:
  bool signed_;
  std::int32_t least_;
};

/// How many lower bits of a number travel beside its symbol.
inline unsigned extra_bits(std::uint32_t number) {
  return number < own_symbols ? 0 : static_cast<unsigned>(std::bit_width(number)) - 1 - octave_bits;
}

inline std::uint32_t symbol_of(std::uint32_t number) {
  if (number < own_symbols) return number;
  const auto octave = static_cast<unsigned>(std::bit_width(number)) - 1;
  return own_symbols + ((octave - first_octave) << octave_bits) + (number >> (octave - octave_bits)) -
         (1u << octave_bits);
}

/// The numbers of a symbol: the smallest one, and how many bits are added to it.
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

/// Two symbols below this form a pair: a | b << pair_shift.
constexpr std::uint32_t pair_symbols = 16;
constexpr unsigned pair_shift = 4;

}  // namespace hearsay

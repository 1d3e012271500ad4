#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include "algorithms/compression/coders/bit_reader.hpp"

namespace hearsay {

/// A code word: the lowest `length` bits of `bits`, the highest of these first.
struct CodeWord {
  std::uint64_t bits;
  unsigned length;
};

/// The universal codes of the integers k >= 1 of P. Elias (1975), "Universal codeword sets and
/// representations of the integers". With N = floor(log2 k):
///
///   gamma   N zeros, then k in N + 1 bits                                         2 N + 1 bits
///   delta   gamma(N + 1), then the N lower bits of k                              N + |gamma(N + 1)| bits
///   omega   0 for k = 1; else the groups of omega for N, then k in N + 1 bits, and a 0 after the last group
enum class Elias { gamma, delta, omega };

inline CodeWord gamma_word(std::uint64_t k) { return {k, 2 * static_cast<unsigned>(std::bit_width(k)) - 1}; }

/// The code word of k, 1 <= k <= 2^32; for gamma k < 2^32.
inline CodeWord elias_word(Elias code, std::uint64_t k) {
  if (code == Elias::gamma) return gamma_word(k);
  if (code == Elias::delta) {
    const auto below = static_cast<unsigned>(std::bit_width(k)) - 1;
    const CodeWord length = gamma_word(below + 1);
    return {length.bits << below | (k ^ std::uint64_t{1} << below), length.length + below};
  }
  CodeWord word{0, 1};
  while (k > 1) {
    const auto width = static_cast<unsigned>(std::bit_width(k));
    word.bits |= k << word.length;
    word.length += width;
    k = width - 1;
  }
  return word;
}

/// Reads a gamma code word and returns its k, at most 2^33 - 1; nothing if the bits are no such word.
inline std::optional<std::uint64_t> read_gamma(BitReader& reader) {
  reader.refill();
  const auto zeros = static_cast<unsigned>(std::countl_zero(reader.window()));
  if (zeros > 32) return std::nullopt;
  if (zeros <= 27) return reader.take(2 * zeros + 1);
  reader.skip(zeros);
  return reader.read(zeros + 1);
}

inline std::optional<std::uint64_t> read_elias(Elias code, BitReader& reader) {
  if (code == Elias::gamma) return read_gamma(reader);
  if (code == Elias::delta) {
    const auto length = read_gamma(reader);
    if (!length || *length > 33) return std::nullopt;
    const auto below = static_cast<unsigned>(*length) - 1;
    return reader.read(below) | std::uint64_t{1} << below;
  }
  for (std::uint64_t k = 1;;) {
    reader.refill();
    if (reader.window() >> 63 == 0) {
      reader.skip(1);
      return k;
    }
    if (k > 32) return std::nullopt;
    k = reader.take(static_cast<unsigned>(k) + 1);
  }
}

}  // namespace hearsay

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hearsay {

// The words of varint_coder.hpp that are of one byte or two, eight at a time and without a branch for each,
// since a processor could not predict them. In plain 128-bit vectors on every instruction set but the scalar
// one, which leaves all words to the caller.

/// How far a kernel came.
struct VarintProgress {
  std::size_t codes = 0;
  std::size_t bytes = 0;
};

/// Writes words from the first one on, and stops at words that are longer than two bytes, near the end of
/// `codes` or of `out`. May overwrite any byte of `out` behind those that it counts.
VarintProgress write_short_words(std::span<const std::int32_t> codes, std::span<std::byte> out);

/// Reads words from in[begin] on, where a word begins, 0 < begin. Stops at words that are longer than two
/// bytes or in no shortest form, near the end of `in` or of `codes`. May overwrite any of `codes`.
VarintProgress read_short_words(std::span<const std::byte> in, std::size_t begin,
                                std::span<std::int32_t> codes);

/// For a mask of eight bits, places of bytes in a vector.
using ByteShuffles = std::array<std::array<std::uint8_t, 16>, 256>;

/// For eight words in two bytes each, of which those in the mask need both: the bytes that travel.
constexpr ByteShuffles written_bytes() {
  ByteShuffles shuffles{};
  for (std::size_t mask = 0; mask < shuffles.size(); ++mask)
    for (std::size_t word = 0, at = 0; word < 8; ++word) {
      shuffles[mask][at++] = static_cast<std::uint8_t>(2 * word);
      if (mask >> word & 1) shuffles[mask][at++] = static_cast<std::uint8_t>(2 * word + 1);
    }
  return shuffles;
}

/// For eight bytes behind a first one, of which those in the mask are the last of a word: each of these, and
/// the byte in front of it.
constexpr ByteShuffles read_bytes() {
  ByteShuffles shuffles{};
  for (std::size_t mask = 0; mask < shuffles.size(); ++mask)
    for (std::size_t byte = 0, word = 0; byte < 8; ++byte)
      if (mask >> byte & 1) {
        shuffles[mask][2 * word] = static_cast<std::uint8_t>(byte);
        shuffles[mask][2 * word++ + 1] = static_cast<std::uint8_t>(byte + 1);
      }
  return shuffles;
}

}  // namespace hearsay

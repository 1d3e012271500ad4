#include "algorithms/compression/quantizers/place_packing.hpp"

#include <algorithm>
#include <array>

#include "algorithms/compression/quantizers/bit_stream.hpp"
#include "algorithms/compression/quantizers/places.hpp"

namespace hearsay {

namespace {

/// Packs into byte j the bits shift ... shift + bits - 1 of the words j, j + m, j + 2m, ..., m the number of
/// bytes.
void pack_planes(std::span<const std::int32_t> codes, std::int32_t zero, unsigned shift, unsigned bits,
                 std::span<std::byte> bytes) {
  const std::uint32_t mask = (1u << bits) - 1;
  const std::size_t m = bytes.size();
  auto* out = reinterpret_cast<std::uint8_t*>(bytes.data());
  std::ranges::fill(bytes, std::byte{0});
  for (std::size_t begin = 0, plane = 0; begin < codes.size(); begin += m, plane += bits) {
    const std::int32_t* in = codes.data() + begin;
    const std::size_t count = std::min(m, codes.size() - begin);
    for (std::size_t j = 0; j < count; ++j) {
      const std::uint32_t word = static_cast<std::uint32_t>(in[j] - zero) >> shift & mask;
      out[j] = static_cast<std::uint8_t>(out[j] | word << plane);
    }
  }
}

void unpack_planes(std::span<const std::byte> bytes, unsigned shift, unsigned bits,
                   std::span<std::int32_t> words) {
  const std::uint32_t mask = (1u << bits) - 1;
  const std::size_t m = bytes.size();
  const auto* in = reinterpret_cast<const std::uint8_t*>(bytes.data());
  for (std::size_t begin = 0, plane = 0; begin < words.size(); begin += m, plane += bits) {
    std::int32_t* out = words.data() + begin;
    const std::size_t count = std::min(m, words.size() - begin);
    for (std::size_t j = 0; j < count; ++j)
      out[j] |= static_cast<std::int32_t>((std::uint32_t{in[j]} >> plane & mask) << shift);
  }
}

/// Packs the bits shift ... shift + bits - 1 of all words into one little-endian stream of bits.
void pack_words(std::span<const std::int32_t> codes, std::int32_t zero, unsigned shift, unsigned bits,
                std::span<std::byte> bytes) {
  const std::uint32_t mask = (1u << bits) - 1;
  std::array<std::uint8_t, codes_in_block> block;
  for_each_block(
      bytes, codes.size(), bits, [&](std::size_t begin, std::size_t size, std::span<std::byte> part) {
        for (std::size_t j = 0; j < size; ++j)
          block[j] =
              static_cast<std::uint8_t>(static_cast<std::uint32_t>(codes[begin + j] - zero) >> shift & mask);
        pack_stream(std::span(block).first(size), bits, part);
      });
}

void unpack_words(std::span<const std::byte> bytes, unsigned shift, unsigned bits,
                  std::span<std::int32_t> words) {
  std::array<std::uint8_t, codes_in_block> block;
  for_each_block(bytes, words.size(), bits,
                 [&](std::size_t begin, std::size_t size, std::span<const std::byte> part) {
                   unpack_stream(part, bits, std::span(block).first(size));
                   for (std::size_t j = 0; j < size; ++j)
                     words[begin + j] |= static_cast<std::int32_t>(std::uint32_t{block[j]} << shift);
                 });
}

}  // namespace

void pack_places(std::span<const std::int32_t> codes, std::int32_t zero, unsigned bits,
                 std::span<std::byte> bytes) {
  unsigned shift = 0;
  for (; bits > 8; bits -= 8, shift += 8) {
    pack_planes(codes, zero, shift, 8, bytes.first(codes.size()));
    bytes = bytes.subspan(codes.size());
  }
  if (has_planes(bits))
    pack_planes(codes, zero, shift, bits, bytes);
  else
    pack_words(codes, zero, shift, bits, bytes);
}

void unpack_places(std::span<const std::byte> bytes, unsigned bits, bool twos_complement,
                   std::span<std::int32_t> words) {
  std::ranges::fill(words, 0);
  const unsigned spare = 32 - bits;
  unsigned shift = 0;
  for (; bits > 8; bits -= 8, shift += 8) {
    unpack_planes(bytes.first(words.size()), shift, 8, words);
    bytes = bytes.subspan(words.size());
  }
  if (has_planes(bits))
    unpack_planes(bytes, shift, bits, words);
  else
    unpack_words(bytes, shift, bits, words);
  if (twos_complement)
    for (std::int32_t& word : words)
      word = static_cast<std::int32_t>(static_cast<std::uint32_t>(word) << spare) >> spare;
}

}  // namespace hearsay

#include "algorithms/compression/quantizers/place_packing.hpp"

#include <algorithm>
#include <array>

#include "algorithms/compression/quantizers/bit_stream.hpp"
#include "algorithms/compression/quantizers/places.hpp"

// Compiles every target of this architecture, the scalar one included; a test compares them all.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/compression/quantizers/place_packing.cpp"
#include <hwy/foreach_target.h>
// This include comes after foreach_target.h, which includes this file once per target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hearsay::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Ints = hn::ScalableTag<std::int32_t>;
using Words = hn::RebindToUnsigned<Ints>;
using Bytes = hn::Rebind<std::uint8_t, Words>;

constexpr Ints ints;
constexpr Words words_of;
constexpr Bytes bytes_of;

/// Byte j gets, low bits first, bits `shift` ... `shift + bits - 1` of (code - zero) of the codes j, j + m,
/// j + 2m, ..., m the number of bytes.
void PackPlanes(std::span<const std::int32_t> codes, std::int32_t zero, unsigned shift, unsigned bits,
                std::span<std::uint8_t> bytes) {
  const std::size_t lanes = hn::Lanes(ints);
  const std::size_t m = bytes.size();
  const std::size_t count = (codes.size() + m - 1) / m;
  const std::int32_t* HWY_RESTRICT in = codes.data();
  std::uint8_t* HWY_RESTRICT out = bytes.data();
  const auto offset = hn::Set(ints, zero);
  const std::uint32_t mask = (1u << bits) - 1;
  std::size_t j = 0;
  // As long as there is a word for each plane.
  for (; j + lanes <= codes.size() - (count - 1) * m; j += lanes) {
    auto byte = hn::Zero(words_of);
    for (std::size_t plane = 0; plane < count; ++plane) {
      const auto code = hn::BitCast(words_of, hn::Sub(hn::LoadU(ints, in + plane * m + j), offset));
      const auto part = hn::And(hn::ShiftRightSame(code, static_cast<int>(shift)), hn::Set(words_of, mask));
      byte = hn::Or(byte, hn::ShiftLeftSame(part, static_cast<int>(plane * bits)));
    }
    hn::StoreU(hn::TruncateTo(bytes_of, byte), bytes_of, out + j);
  }
  for (; j < m; ++j) {
    std::uint32_t byte = 0;
    for (std::size_t i = j, place = 0; i < codes.size(); i += m, place += bits)
      byte |= (static_cast<std::uint32_t>(in[i] - zero) >> shift & mask) << place;
    out[j] = static_cast<std::uint8_t>(byte);
  }
}

/// Sets the same bits of the words to those of the bytes, and the bits above them to 0; those below stay.
void UnpackPlanes(std::span<const std::uint8_t> bytes, unsigned shift, unsigned bits,
                  std::span<std::int32_t> words) {
  const std::size_t lanes = hn::Lanes(ints);
  const std::size_t m = bytes.size();
  const std::uint8_t* HWY_RESTRICT in = bytes.data();
  const std::uint32_t below = (1u << shift) - 1;
  const std::uint32_t mask = (1u << bits) - 1;
  for (std::size_t begin = 0, place = 0; begin < words.size(); begin += m, place += bits) {
    auto* HWY_RESTRICT out = reinterpret_cast<std::uint32_t*>(words.data()) + begin;
    const std::size_t size = std::min(m, words.size() - begin);
    std::size_t j = 0;
    for (; j + lanes <= size; j += lanes) {
      const auto byte = hn::PromoteTo(words_of, hn::LoadU(bytes_of, in + j));
      const auto part = hn::And(hn::ShiftRightSame(byte, static_cast<int>(place)), hn::Set(words_of, mask));
      const auto stays = hn::And(hn::LoadU(words_of, out + j), hn::Set(words_of, below));
      hn::StoreU(hn::Or(stays, hn::ShiftLeftSame(part, static_cast<int>(shift))), words_of, out + j);
    }
    for (; j < size; ++j) out[j] = (out[j] & below) | (std::uint32_t{in[j]} >> place & mask) << shift;
  }
}

/// Words of `bits` bits get the sign of their highest bit.
void TakeSigns(std::span<std::int32_t> words, unsigned bits) {
  const std::size_t lanes = hn::Lanes(ints);
  const std::int32_t half = std::int32_t{1} << (bits - 1);
  std::size_t i = 0;
  for (; i + lanes <= words.size(); i += lanes) {
    const auto word = hn::LoadU(ints, words.data() + i);
    hn::StoreU(hn::Sub(hn::Xor(word, hn::Set(ints, half)), hn::Set(ints, half)), ints, words.data() + i);
  }
  for (; i < words.size(); ++i) words[i] = (words[i] ^ half) - half;
}

LeastAndMost FindLeastAndMost(std::span<const std::int32_t> numbers) {
  const std::size_t lanes = hn::Lanes(ints);
  LeastAndMost found{numbers.front(), numbers.front()};
  auto least = hn::Set(ints, numbers.front());
  auto most = least;
  std::size_t i = 0;
  for (; i + lanes <= numbers.size(); i += lanes) {
    const auto number = hn::LoadU(ints, numbers.data() + i);
    least = hn::Min(least, number);
    most = hn::Max(most, number);
  }
  found.least = hn::GetLane(hn::MinOfLanes(ints, least));
  found.most = hn::GetLane(hn::MaxOfLanes(ints, most));
  for (; i < numbers.size(); ++i) {
    found.least = std::min(found.least, numbers[i]);
    found.most = std::max(found.most, numbers[i]);
  }
  return found;
}

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearsay {

namespace {

HWY_EXPORT(PackPlanes);
HWY_EXPORT(UnpackPlanes);
HWY_EXPORT(TakeSigns);
HWY_EXPORT(FindLeastAndMost);

std::span<std::uint8_t> as_numbers(std::span<std::byte> bytes) {
  return {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()};
}

std::span<const std::uint8_t> as_numbers(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

void pack_planes(std::span<const std::int32_t> codes, std::int32_t zero, unsigned shift, unsigned bits,
                 std::span<std::byte> bytes) {
  if (!bytes.empty()) HWY_DYNAMIC_DISPATCH(PackPlanes)(codes, zero, shift, bits, as_numbers(bytes));
}

void unpack_planes(std::span<const std::byte> bytes, unsigned shift, unsigned bits,
                   std::span<std::int32_t> words) {
  HWY_DYNAMIC_DISPATCH(UnpackPlanes)(as_numbers(bytes), shift, bits, words);
}

/// Packs bits `shift` ... `shift + bits - 1` of all words into one little-endian stream of bits.
void pack_words(std::span<const std::int32_t> codes, std::int32_t zero, unsigned shift, unsigned bits,
                std::span<std::byte> bytes) {
  std::array<std::uint8_t, codes_in_block> block;
  for_each_block(bytes, codes.size(), bits,
                 [&](std::size_t begin, std::size_t size, std::span<std::byte> part) {
                   const auto in_block = std::span(block).first(size);
                   HWY_DYNAMIC_DISPATCH(PackPlanes)(codes.subspan(begin, size), zero, shift, bits, in_block);
                   pack_stream(in_block, bits, part);
                 });
}

void unpack_words(std::span<const std::byte> bytes, unsigned shift, unsigned bits,
                  std::span<std::int32_t> words) {
  std::array<std::uint8_t, codes_in_block> block;
  for_each_block(bytes, words.size(), bits,
                 [&](std::size_t begin, std::size_t size, std::span<const std::byte> part) {
                   const auto in_block = std::span(block).first(size);
                   unpack_stream(part, bits, in_block);
                   HWY_DYNAMIC_DISPATCH(UnpackPlanes)(in_block, shift, bits, words.subspan(begin, size));
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
  const unsigned all_bits = bits;
  unsigned shift = 0;
  for (; bits > 8; bits -= 8, shift += 8) {
    unpack_planes(bytes.first(words.size()), shift, 8, words);
    bytes = bytes.subspan(words.size());
  }
  if (has_planes(bits))
    unpack_planes(bytes, shift, bits, words);
  else
    unpack_words(bytes, shift, bits, words);
  if (twos_complement) HWY_DYNAMIC_DISPATCH(TakeSigns)(words, all_bits);
}

LeastAndMost least_and_most(std::span<const std::int32_t> numbers) {
  return HWY_DYNAMIC_DISPATCH(FindLeastAndMost)(numbers);
}

}  // namespace hearsay
#endif

#include "algorithms/compression/quantizers/bit_stream.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "topology/foundation/ensure.hpp"

// Compile every target that this machine could run, the scalar one included: a test compares them all.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/compression/quantizers/bit_stream.cpp"
#include <hwy/foreach_target.h>
// This include comes last: foreach_target.h includes all that follows once per target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hearsay::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// Each lane is eight codes: as bytes, or as the 8 b bits of the stream in its low bits.
using Eights = hn::CappedTag<std::uint64_t, 8>;
constexpr Eights eights;
constexpr std::size_t lanes = hn::MaxLanes(Eights());

using Vec = hn::Vec<Eights>;

// The odd bytes, the odd pairs of bytes, the upper half.
constexpr std::uint64_t odd_bytes = 0xFF00FF00FF00FF00u;
constexpr std::uint64_t odd_pairs = 0xFFFF0000FFFF0000u;
constexpr std::uint64_t upper_half = 0xFFFFFFFF00000000u;

/// Moves the fields in `odd` down by `gap` bits, to the end of their neighbors.
HWY_INLINE Vec Close(Vec fields, std::uint64_t odd, int gap) {
  const auto mask = hn::Set(eights, odd);
  return hn::Or(hn::AndNot(mask, fields), hn::ShiftRightSame(hn::And(fields, mask), gap));
}

/// The reverse: the fields in `even_fields` stay, and those above them move up by `gap` bits, into `odd`.
HWY_INLINE Vec Open(Vec fields, std::uint64_t odd, int gap, std::uint64_t even_fields) {
  const auto even = hn::Set(eights, even_fields);
  const auto moved = hn::ShiftLeftSame(hn::AndNot(even, fields), gap);
  return hn::Or(hn::And(fields, even), hn::And(moved, hn::Set(eights, odd)));
}

/// Writes the low `bits` bytes of each lane, one lane after the other. A lane is stored whole, and the next
/// one overwrites what is beyond its bytes: so 8 bytes are needed beyond the last one.
HWY_INLINE void StoreEach(Vec fields, std::size_t bits, std::byte* stream) {
  HWY_ALIGN std::uint64_t words[lanes];
  hn::Store(fields, eights, words);
  for (std::size_t lane = 0; lane < lanes; ++lane) std::memcpy(stream + lane * bits, &words[lane], 8);
}

void Pack(std::span<const std::uint8_t> codes, unsigned bits, std::span<std::byte> stream) {
  const int b = static_cast<int>(bits);
  HWY_ALIGN std::uint64_t bytes[lanes];
  std::array<std::byte, 8 * lanes + 8> last;
  std::size_t i = 0;
  for (; i + 8 * lanes <= codes.size(); i += 8 * lanes) {
    std::memcpy(bytes, codes.data() + i, sizeof(bytes));
    auto fields = hn::Load(eights, bytes);
    fields = Close(fields, odd_bytes, 8 - b);
    fields = Close(fields, odd_pairs, 16 - 2 * b);
    fields = Close(fields, upper_half, 32 - 4 * b);
    const auto out = stream.subspan(i / 8 * bits);
    const bool is_last = out.size() < lanes * bits + 8;
    StoreEach(fields, bits, is_last ? last.data() : out.data());
    if (is_last) std::copy_n(last.begin(), lanes * bits, out.begin());
  }
  std::uint64_t window = 0;
  unsigned filled = 0;
  auto* out = stream.data() + i / 8 * bits;
  for (; i < codes.size(); ++i) {
    window |= std::uint64_t{codes[i]} << filled;
    for (filled += bits; filled >= 8; filled -= 8, window >>= 8) *out++ = static_cast<std::byte>(window);
  }
  if (filled > 0) *out = static_cast<std::byte>(window);
}

void Unpack(std::span<const std::byte> stream, unsigned bits, std::span<std::uint8_t> codes) {
  const int b = static_cast<int>(bits);
  // The codes that stand first in a pair, a quadruple, an octuple.
  const std::uint64_t code = (std::uint64_t{1} << b) - 1;
  const std::uint64_t octuple = (std::uint64_t{1} << 4 * b) - 1;
  const std::uint64_t quadruples = ((std::uint64_t{1} << 2 * b) - 1) * 0x0000000100000001u;
  const std::uint64_t pairs = code * 0x0001000100010001u;
  // All words are read before the first vector is: one that was written just now would be waited for.
  HWY_ALIGN std::uint64_t words[codes_in_block / 8];
  const std::size_t whole = codes.size() / (8 * lanes) * lanes;
  ensure(whole <= codes_in_block / 8, "codes are unpacked a block at a time");
  const std::size_t readable = stream.size() < 8 ? 0 : std::min(whole, (stream.size() - 8) / bits + 1);
  const std::byte* HWY_RESTRICT in = stream.data();
  for (std::size_t k = 0; k < readable; ++k) std::memcpy(&words[k], in + k * bits, 8);
  for (std::size_t k = readable; k < whole; ++k) std::memcpy(&(words[k] = 0), in + k * bits, bits);
  std::size_t i = 0;
  for (; i < 8 * whole; i += 8 * lanes) {
    auto fields = hn::Load(eights, words + i / 8);
    fields = Open(fields, (octuple << 32), 32 - 4 * b, octuple);
    fields = Open(fields, quadruples << 16, 16 - 2 * b, quadruples);
    fields = Open(fields, pairs << 8, 8 - b, pairs);
    hn::Store(fields, eights, words + i / 8);
  }
  if (whole > 0) std::memcpy(codes.data(), words, 8 * whole);
  std::uint64_t window = 0;
  unsigned filled = 0;
  in += i / 8 * bits;
  for (; i < codes.size(); ++i) {
    for (; filled < bits; filled += 8)
      window |= std::uint64_t{std::to_integer<std::uint8_t>(*in++)} << filled;
    codes[i] = static_cast<std::uint8_t>(window & code);
    window >>= bits;
    filled -= bits;
  }
}

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearsay {

namespace {
HWY_EXPORT(Pack);
HWY_EXPORT(Unpack);
}  // namespace

void pack_stream(std::span<const std::uint8_t> codes, unsigned bits, std::span<std::byte> stream) {
  HWY_DYNAMIC_DISPATCH(Pack)(codes, bits, stream);
}

void unpack_stream(std::span<const std::byte> stream, unsigned bits, std::span<std::uint8_t> codes) {
  HWY_DYNAMIC_DISPATCH(Unpack)(stream, bits, codes);
}

}  // namespace hearsay
#endif

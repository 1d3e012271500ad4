#include "algorithms/compression/coders/varint_kernels.hpp"

#include <bit>

// Compiles every target of this architecture, the scalar one included; a test compares them all.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/compression/coders/varint_kernels.cpp"
#include <hwy/foreach_target.h>
// This include comes after foreach_target.h, which includes this file once per target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hearsay::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR

VarintProgress WriteShortWords(std::span<const std::int32_t>, std::span<std::byte>) { return {}; }
VarintProgress ReadShortWords(std::span<const std::byte>, std::size_t, std::span<std::int32_t>) { return {}; }

#else

namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::FixedTag<std::uint8_t, 16>;
using Pairs = hn::FixedTag<std::uint16_t, 8>;
using SignedPairs = hn::FixedTag<std::int16_t, 8>;
using Ints = hn::FixedTag<std::int32_t, 4>;

constexpr Bytes bytes;
constexpr Pairs pairs;
constexpr SignedPairs signed_pairs;
constexpr Ints ints;

constexpr std::size_t together = 8;  ///< words of a step
constexpr std::size_t block = 64;    ///< bytes that are read together

/// The mask of a comparison, a bit for each lane.
template <class Tag, class Mask>
HWY_INLINE std::size_t BitsOf(Tag tag, Mask mask) {
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(tag, mask, bits);
  return bits[0];
}

alignas(64) constexpr ByteShuffles written = written_bytes();
alignas(64) constexpr ByteShuffles read = read_bytes();

HWY_INLINE hn::Vec<Ints> Zigzag(const std::int32_t* code) {
  const auto q = hn::LoadU(ints, code);
  return hn::Xor(hn::Add(q, q), hn::BroadcastSignBit(q));
}

VarintProgress WriteShortWords(std::span<const std::int32_t> codes, std::span<std::byte> out) {
  constexpr std::int32_t two_bytes = 1 << 14;
  auto* HWY_RESTRICT to = reinterpret_cast<std::uint8_t*>(out.data());
  std::size_t i = 0;
  std::size_t at = 0;
  for (; i + together <= codes.size() && at + 2 * together <= out.size(); i += together) {
    const auto first = Zigzag(codes.data() + i);
    const auto second = Zigzag(codes.data() + i + together / 2);
    const auto too_long = hn::AndNot(hn::Set(ints, two_bytes - 1), hn::Or(first, second));
    if (!hn::AllTrue(ints, hn::Eq(too_long, hn::Zero(ints)))) break;
    const auto words =
        hn::Combine(pairs, hn::DemoteTo(hn::Half<Pairs>(), second), hn::DemoteTo(hn::Half<Pairs>(), first));
    const auto low = hn::And(words, hn::Set(pairs, 0x7F));
    const auto longer = hn::Gt(hn::BitCast(signed_pairs, words), hn::Set(signed_pairs, 0x7F));
    const auto high = hn::And(hn::Add(words, words), hn::Set(pairs, 0x7F00));
    const auto continued =
        hn::And(hn::BitCast(pairs, hn::VecFromMask(signed_pairs, longer)), hn::Set(pairs, 0x80));
    const auto message = hn::BitCast(bytes, hn::Or(hn::Or(low, continued), high));
    const std::size_t mask = BitsOf(signed_pairs, longer);
    hn::StoreU(hn::TableLookupBytes(message, hn::Load(bytes, written[mask].data())), bytes, to + at);
    at += together + static_cast<std::size_t>(std::popcount(mask));
  }
  return {i, at};
}

/// The codes of words that lie in two bytes each: a last byte above the one in front of it, which belongs to
/// the word if its highest bit is set.
HWY_INLINE hn::Vec<SignedPairs> CodesOf(hn::Vec<Pairs> last_and_first) {
  const auto last = hn::ShiftRight<8>(last_and_first);
  const auto both = hn::Or(hn::ShiftLeft<7>(last), hn::And(last_and_first, hn::Set(pairs, 0x7F)));
  // The highest bit of the byte in front, in all bits of the pair.
  const auto has_first =
      hn::BitCast(pairs, hn::BroadcastSignBit(hn::BitCast(signed_pairs, hn::ShiftLeft<8>(last_and_first))));
  const auto word = hn::Or(hn::And(has_first, both), hn::AndNot(has_first, last));
  const auto sign = hn::Sub(hn::Zero(pairs), hn::And(word, hn::Set(pairs, 1)));
  return hn::BitCast(signed_pairs, hn::Xor(hn::ShiftRight<1>(word), sign));
}

/// Which of the 64 bytes from `from` on are the last of their words, a bit for each. False if a word is
/// longer than two bytes, or has a shorter form.
HWY_INLINE bool FindLastBytes(const std::uint8_t* from, std::uint8_t* last_bytes) {
  using Wide = hn::CappedTag<std::int8_t, block>;
  const Wide wide;
  const auto* signs = reinterpret_cast<const std::int8_t*>(from);
  auto wrong = hn::Zero(wide);
  for (std::size_t k = 0; k < block; k += hn::Lanes(wide)) {
    const auto here = hn::LoadU(wide, signs + k);
    const auto before = hn::LoadU(wide, signs + k - 1);
    const auto is_zero = hn::VecFromMask(wide, hn::Eq(here, hn::Zero(wide)));
    wrong = hn::Or(wrong, hn::And(before, hn::Or(here, is_zero)));
    hn::StoreMaskBits(wide, hn::Gt(here, hn::Set(wide, -1)), last_bytes + k / 8);
  }
  return hn::AllFalse(wide, hn::Lt(wrong, hn::Zero(wide)));
}

VarintProgress ReadShortWords(std::span<const std::byte> in, std::size_t begin,
                              std::span<std::int32_t> codes) {
  const auto* from = reinterpret_cast<const std::uint8_t*>(in.data());
  std::int32_t* HWY_RESTRICT out = codes.data();
  std::size_t i = 0;
  std::size_t at = begin;
  // A block has at most as many codes as bytes, and the last step reads and writes half a vector more.
  while (at + block + together <= in.size() && i + block + together <= codes.size()) {
    std::uint8_t last_bytes[block / 8];
    if (!FindLastBytes(from + at, last_bytes)) break;
    for (std::size_t k = 0; k < block; k += together) {
      const std::size_t mask = last_bytes[k / 8];
      const auto with_byte_before = hn::LoadU(bytes, from + at + k - 1);
      const auto words = hn::TableLookupBytes(with_byte_before, hn::Load(bytes, read[mask].data()));
      const auto q = CodesOf(hn::BitCast(pairs, words));
      hn::StoreU(hn::PromoteTo(ints, hn::LowerHalf(q)), ints, out + i);
      hn::StoreU(hn::PromoteTo(ints, hn::UpperHalf(hn::Half<SignedPairs>(), q)), ints,
                 out + i + together / 2);
      i += static_cast<std::size_t>(std::popcount(mask));
    }
    // A word of which the block has the first byte only is read in the next one.
    at += block - (last_bytes[block / 8 - 1] >> 7 == 0);
  }
  return {i, at - begin};
}

#endif

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearsay {

namespace {
HWY_EXPORT(WriteShortWords);
HWY_EXPORT(ReadShortWords);
}  // namespace

VarintProgress write_short_words(std::span<const std::int32_t> codes, std::span<std::byte> out) {
  return HWY_DYNAMIC_DISPATCH(WriteShortWords)(codes, out);
}

VarintProgress read_short_words(std::span<const std::byte> in, std::size_t begin,
                                std::span<std::int32_t> codes) {
  return HWY_DYNAMIC_DISPATCH(ReadShortWords)(in, begin, codes);
}

}  // namespace hearsay
#endif

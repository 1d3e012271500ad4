#include "algorithms/compression/quantizers/dither_stream.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "algorithms/compression/quantizers/bit_stream.hpp"

// Compiles every target of this architecture, the scalar one included; a test compares them all.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/compression/quantizers/dither_stream.cpp"
#include <hwy/foreach_target.h>
// This include comes after foreach_target.h, which includes this file once per target.
#include <hwy/highway.h>

#include "algorithms/compression/quantizers/dither_levels.inl"

HWY_BEFORE_NAMESPACE();
namespace hearsay::HWY_NAMESPACE {
namespace {

/// Writes the low bits of each code of a bucket into a byte of its own, and adds the values to `into` if
/// `apply`.
template <bool apply, class Levels>
void CodeBytes(const DitherBucket<float>& bucket, const DitherCode& code, ElementKey key,
               std::uint8_t* HWY_RESTRICT codes) {
  const float* HWY_RESTRICT z = bucket.z.data();
  float* HWY_RESTRICT into = bucket.into;
  const hn::Rebind<std::uint8_t, Words> byte_lanes;
  const std::size_t lanes = hn::Lanes(floats);
  const Levels levels(bucket.step, code);
  const auto a = hn::Set(words, key.a);
  const auto b = hn::Set(words, key.b);
  const std::uint32_t mask = (1u << code.bits) - 1;
  auto index = hn::Iota(words, bucket.first);
  const auto index_step = hn::Set(words, static_cast<std::uint32_t>(lanes));
  std::size_t i = 0;
  for (; i + lanes <= bucket.z.size(); i += lanes) {
    const auto q = RandomCodes(levels, hn::LoadU(floats, z + i), index, a, b);
    if constexpr (apply) hn::StoreU(hn::Add(hn::LoadU(floats, into + i), levels.Value(q)), floats, into + i);
    const auto kept = hn::And(hn::BitCast(words, q), hn::Set(words, mask));
    hn::StoreU(hn::TruncateTo(byte_lanes, kept), byte_lanes, codes + i);
    index = hn::Add(index, index_step);
  }
  for (; i < bucket.z.size(); ++i) {
    const std::int32_t q =
        random_code(z[i], bucket.step, code, key, bucket.first + static_cast<std::uint32_t>(i));
    codes[i] = static_cast<std::uint8_t>(static_cast<std::uint32_t>(q) & mask);
    if constexpr (apply) into[i] += decoded(q, bucket.step.step, code);
  }
}

/// Codes of `bits` bits have the sign of their highest bit.
template <class Levels>
void AccumulateBytes(std::span<const std::uint8_t> codes, const DitherCode& code, float step, float scale,
                     float* HWY_RESTRICT into) {
  const hn::Rebind<std::uint8_t, Ints> byte_lanes;
  const std::size_t lanes = hn::Lanes(floats);
  const Levels levels({step, 0.0f, 1.0f}, code);
  const auto factor = hn::Set(floats, scale);
  const std::int32_t half = 1 << (code.bits - 1);
  std::size_t i = 0;
  for (; i + lanes <= codes.size(); i += lanes) {
    const auto word = hn::PromoteTo(ints, hn::LoadU(byte_lanes, codes.data() + i));
    const auto q = hn::Sub(hn::Xor(word, hn::Set(ints, half)), hn::Set(ints, half));
    const auto value = hn::Mul(factor, levels.Value(q));
    hn::StoreU(hn::Add(hn::LoadU(floats, into + i), value), floats, into + i);
  }
  for (; i < codes.size(); ++i)
    into[i] += scale * decoded((std::int32_t{codes[i]} ^ half) - half, step, code);
}

bool BytesInRange(std::span<const std::uint8_t> codes, const DitherCode& code) {
  const auto half = static_cast<std::uint8_t>(1u << (code.bits - 1));
  // Plus half of 2^bits (an xor), codes are unsigned and in order.
  std::uint8_t least = half;
  std::uint8_t most = half;
  for (const std::uint8_t word : codes) {
    const auto place = static_cast<std::uint8_t>(word ^ half);
    least = std::min(least, place);
    most = std::max(most, place);
  }
  return least >= half - code.levels && most <= half + code.levels;
}

template <class Levels>
void CodeBytesOf(const DitherBucket<float>& bucket, const DitherCode& code, ElementKey key,
                 std::uint8_t* codes) {
  if (bucket.into)
    CodeBytes<true, Levels>(bucket, code, key, codes);
  else
    CodeBytes<false, Levels>(bucket, code, key, codes);
}

void CodeBytesEither(const DitherBucket<float>& bucket, const DitherCode& code, ElementKey key,
                     std::uint8_t* codes) {
  if (code.spacing == LevelSpacing::equal)
    CodeBytesOf<EqualSteps>(bucket, code, key, codes);
  else
    CodeBytesOf<PowersOfTwo>(bucket, code, key, codes);
}

void AccumulateBytesEither(std::span<const std::uint8_t> codes, const DitherCode& code, float step,
                           float scale, float* into) {
  if (code.spacing == LevelSpacing::equal)
    AccumulateBytes<EqualSteps>(codes, code, step, scale, into);
  else
    AccumulateBytes<PowersOfTwo>(codes, code, step, scale, into);
}

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearsay {

namespace {

HWY_EXPORT(CodeBytesEither);
HWY_EXPORT(AccumulateBytesEither);
HWY_EXPORT(BytesInRange);

using CodeBlock = std::array<std::uint8_t, codes_in_block>;

}  // namespace

void encode_stream(const DitherBucket<float>& bucket, const DitherCode& code, ElementKey key) {
  CodeBlock codes;
  for_each_block(bucket.bytes, bucket.z.size(), code.bits,
                 [&](std::size_t begin, std::size_t size, std::span<std::byte> bytes) {
                   DitherBucket<float> block = bucket;
                   block.z = bucket.z.subspan(begin, size);
                   block.first += static_cast<std::uint32_t>(begin);
                   if (bucket.into) block.into += begin;
                   HWY_DYNAMIC_DISPATCH(CodeBytesEither)(block, code, key, codes.data());
                   pack_stream(std::span(codes).first(size), code.bits, bytes);
                 });
}

void accumulate_stream(std::span<const std::byte> stream, const DitherCode& code, float step, float scale,
                       std::span<float> into) {
  CodeBlock codes;
  for_each_block(stream, into.size(), code.bits,
                 [&](std::size_t begin, std::size_t size, std::span<const std::byte> bytes) {
                   const auto block = std::span(codes).first(size);
                   unpack_stream(bytes, code.bits, block);
                   HWY_DYNAMIC_DISPATCH(AccumulateBytesEither)(block, code, step, scale, into.data() + begin);
                 });
}

bool stream_in_range(std::span<const std::byte> stream, const DitherCode& code, std::size_t size) {
  CodeBlock codes;
  bool all_are = true;
  for_each_block(stream, size, code.bits,
                 [&](std::size_t, std::size_t in_block, std::span<const std::byte> bytes) {
                   const auto block = std::span(codes).first(in_block);
                   unpack_stream(bytes, code.bits, block);
                   all_are = all_are && HWY_DYNAMIC_DISPATCH(BytesInRange)(block, code);
                 });
  return all_are;
}

}  // namespace hearsay
#endif

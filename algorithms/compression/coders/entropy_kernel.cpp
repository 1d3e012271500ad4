#include "algorithms/compression/coders/entropy_kernel.hpp"

// Compiles every target of this architecture, the scalar one included; a test compares them all.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/compression/coders/entropy_kernel.cpp"
#include <hwy/foreach_target.h>
// This include comes after foreach_target.h, which includes this file once per target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hearsay::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

void PairIndices(std::span<const std::int32_t> codes, const CodeRange& range,
                 std::uint16_t* HWY_RESTRICT indices) {
  const std::size_t pairs = codes.size() / 2;
  std::size_t k = 0;
#if HWY_TARGET != HWY_SCALAR  // the scalar target has no lanes of 32 bits in a word of 64
  // A pair of codes fills 64 bits, with the first code in the lower half.
  const hn::ScalableTag<std::uint64_t> words;
  const hn::Rebind<std::uint16_t, decltype(words)> places;
  const hn::Repartition<std::uint32_t, decltype(words)> codes_of;
  const std::size_t lanes = hn::Lanes(words);
  const auto least = hn::Set(words, std::uint64_t{static_cast<std::uint32_t>(range.least)} * 0x100000001u);
  const auto* const in = reinterpret_cast<const std::uint32_t*>(codes.data());
  for (; k + lanes <= pairs; k += lanes) {
    const auto offsets = hn::Sub(hn::LoadU(codes_of, in + 2 * k), hn::BitCast(codes_of, least));
    const auto pair = hn::BitCast(words, offsets);
    const auto index = hn::Or(pair, hn::ShiftRight<32 - code_shift>(pair));
    hn::StoreU(hn::TruncateTo(places, hn::And(index, hn::Set(words, code_pairs - 1))), places, indices + k);
  }
#endif
  const CodePairs plain(range);
  for (; k < pairs; ++k) indices[k] = static_cast<std::uint16_t>(plain.index(&codes[2 * k]));
}

void EncodePairs(std::span<const std::uint16_t> pairs, const PairSymbols& symbols, const std::uint16_t* next,
                 States& states, BackwardWriter& out) {
  BackwardWriter writer = out;  // local copies stay in registers
  auto [a, b, c, d] = states;
  for (std::size_t k = pairs.size(); k > 0; k -= state_lanes) {
    const std::uint16_t* const four = &pairs[k - state_lanes];
    encode_step(d, symbols[four[3]], next, writer);
    encode_step(c, symbols[four[2]], next, writer);
    encode_step(b, symbols[four[1]], next, writer);
    encode_step(a, symbols[four[0]], next, writer);
    writer.flush();
  }
  states = {a, b, c, d};
  out = writer;
}

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearsay {

namespace {
HWY_EXPORT(PairIndices);
HWY_EXPORT(EncodePairs);
}  // namespace

void pair_indices(std::span<const std::int32_t> codes, const CodeRange& range, std::uint16_t* indices) {
  HWY_DYNAMIC_DISPATCH(PairIndices)(codes, range, indices);
}

void encode_pairs(std::span<const std::uint16_t> pairs, const PairSymbols& symbols, const std::uint16_t* next,
                  States& states, BackwardWriter& writer) {
  HWY_DYNAMIC_DISPATCH(EncodePairs)(pairs, symbols, next, states, writer);
}

}  // namespace hearsay
#endif

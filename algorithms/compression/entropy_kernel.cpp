#include "algorithms/compression/entropy_kernel.hpp"

// Every target that this machine could run, the scalar one included: a test compares them all.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/compression/entropy_kernel.cpp"
#include <hwy/foreach_target.h>
// Last: it is what the line above includes once per target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hearsay::HWY_NAMESPACE {
namespace {

void EncodePairs(std::span<const std::uint16_t> pairs, const PairSymbols& symbols, const std::uint16_t* next,
                 States& states, BackwardWriter& out) {
  BackwardWriter writer = out;  // local ones stay in registers
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
HWY_EXPORT(EncodePairs);
}  // namespace

void encode_pairs(std::span<const std::uint16_t> pairs, const PairSymbols& symbols, const std::uint16_t* next,
                  States& states, BackwardWriter& writer) {
  HWY_DYNAMIC_DISPATCH(EncodePairs)(pairs, symbols, next, states, writer);
}

}  // namespace hearsay
#endif

#include "algorithms/arithmetic/finite_kernel.hpp"

#include <cstdint>

#include "algorithms/arithmetic/wire_scalar.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/arithmetic/finite_kernel.cpp"
#include <hwy/foreach_target.h>
// This include comes last: foreach_target.h includes all that follows once per target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hearsay::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// True if no number is Inf or NaN, whose exponents are all ones. Does not stop at the first such number,
/// since the answer is nearly always true.
template <class Bits>
bool AllFinite(std::span<const std::byte> bytes, Bits exponent) {
  const hn::ScalableTag<Bits> words;
  const auto* data = reinterpret_cast<const Bits*>(bytes.data());  // LoadU takes any address
  const std::size_t count = bytes.size() / sizeof(Bits);
  const std::size_t lanes = hn::Lanes(words);
  const auto mask = hn::Set(words, exponent);
  const auto is_not_finite = [&](std::size_t at) HWY_ATTR {
    return hn::Eq(hn::And(hn::LoadU(words, data + at), mask), mask);
  };
  auto found = hn::FirstN(words, 0);
  std::size_t at = 0;
  for (; at + 4 * lanes <= count; at += 4 * lanes)
    found = hn::Or(found, hn::Or(hn::Or(is_not_finite(at), is_not_finite(at + lanes)),
                                 hn::Or(is_not_finite(at + 2 * lanes), is_not_finite(at + 3 * lanes))));
  if (!hn::AllFalse(words, found)) return false;
  for (; at < count; ++at)
    if ((read_scalar<Bits>(bytes, at) & exponent) == exponent) return false;
  return true;
}

bool AllFinite4(std::span<const std::byte> bytes) { return AllFinite<std::uint32_t>(bytes, 0x7F800000); }
bool AllFinite8(std::span<const std::byte> bytes) {
  return AllFinite<std::uint64_t>(bytes, 0x7FF0000000000000);
}

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearsay {

namespace {
HWY_EXPORT(AllFinite4);
HWY_EXPORT(AllFinite8);
}  // namespace

bool all_finite_4(std::span<const std::byte> bytes) { return HWY_DYNAMIC_DISPATCH(AllFinite4)(bytes); }
bool all_finite_8(std::span<const std::byte> bytes) { return HWY_DYNAMIC_DISPATCH(AllFinite8)(bytes); }

}  // namespace hearsay
#endif

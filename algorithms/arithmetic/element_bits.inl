// Part of each kernel that draws bits for each coordinate, compiled once per instruction set. Include it
// after <hwy/highway.h>, outside of all namespaces.
#if defined(HEARSAY_ELEMENT_BITS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef HEARSAY_ELEMENT_BITS_INL
#undef HEARSAY_ELEMENT_BITS_INL
#else
#define HEARSAY_ELEMENT_BITS_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace hearsay::HWY_NAMESPACE {
namespace {

/// element_bits of a vector of indices; a and b are those of the key, in all lanes.
template <class Tag, class Vector>
HWY_INLINE Vector ElementBits(Tag tag, Vector index, Vector a, Vector b) {
  namespace hn = hwy::HWY_NAMESPACE;
  auto hash = hn::Mul(hn::Xor(index, a), hn::Set(tag, 0x9E3779B1u));
  hash = hn::Xor(hash, hn::ShiftRight<16>(hash));
  hash = hn::Mul(hn::Xor(hash, b), hn::Set(tag, 0x85EBCA6Bu));
  return hn::Xor(hash, hn::ShiftRight<15>(hash));
}

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

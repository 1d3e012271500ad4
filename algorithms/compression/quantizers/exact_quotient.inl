// Part of each kernel that divides by the step of a grid, compiled once per instruction set. Include it after
// <hwy/highway.h>, outside of all namespaces.
#if defined(HEARSAY_EXACT_QUOTIENT_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef HEARSAY_EXACT_QUOTIENT_INL
#undef HEARSAY_EXACT_QUOTIENT_INL
#else
#define HEARSAY_EXACT_QUOTIENT_INL
#endif

HWY_BEFORE_NAMESPACE();
namespace hearsay::HWY_NAMESPACE {
namespace {

/// Divides vectors of doubles by one number many times. Every quotient has the bits of a division.
class Divisor {
 public:
  explicit Divisor(double divisor) : divisor_(divisor), inverse_(1.0 / divisor) {}

  /// The divisor is about as large as a float can be, and so is the dividend, or it is 0 or not finite.
  template <class Tag>
  HWY_INLINE hwy::HWY_NAMESPACE::Vec<Tag> Of(Tag tag, hwy::HWY_NAMESPACE::Vec<Tag> dividend) const {
    namespace hn = hwy::HWY_NAMESPACE;
    const auto divisor = hn::Set(tag, divisor_);
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    // With fused products a quotient that is off by less than an ulp is made the rounded one by its exact
    // remainder, if the inverse is rounded (Markstein 1990): the first step makes it so near, the second
    // rounds it. That is several times as fast as a division. In the range of floats nothing of it overflows
    // or loses bits near 0.
    const auto inverse = hn::Set(tag, inverse_);
    auto quotient = hn::Mul(dividend, inverse);
    quotient = hn::MulAdd(hn::NegMulAdd(quotient, divisor, dividend), inverse, quotient);
    return hn::MulAdd(hn::NegMulAdd(quotient, divisor, dividend), inverse, quotient);
#else
    return hn::Div(dividend, divisor);
#endif
  }

 private:
  double divisor_;
  [[maybe_unused]] double inverse_;
};

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

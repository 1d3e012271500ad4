// Tests of the stated bounds at both ends of the number range.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "algorithms/compression/seam/bracket.hpp"
#include "tests/compression/compression.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::compressor_range_test {

namespace {

/// The r of traits.hpp: bounds are relative to max(||z||, sqrt(d) r).
template <class Scalar>
double relative_from(const std::string& spelling) {
  if (contains(spelling, "natural(8)") || contains(spelling, "natural(bits=8)")) return 0x1p-98;
  if (contains(spelling, "bf16")) return 0x1p-106;
  return 0x1p20 * static_cast<double>(std::numeric_limits<Scalar>::min());
}

/// Three shapes of vectors with a largest magnitude near 1: equal coordinates, Gaussian ones, one large
/// coordinate.
template <class Scalar>
std::vector<std::vector<Scalar>> shapes(std::size_t d) {
  std::vector<std::vector<Scalar>> all{std::vector<Scalar>(d, Scalar(-0.99)), gaussian<Scalar>(d, d)};
  for (Scalar& value : all.back()) value *= Scalar(0.2);
  for (const double share : {0.0, 0.07}) {
    auto& z = all.emplace_back(d, static_cast<Scalar>(share));
    for (std::size_t i = 0; i < d; i += 2) z[i] = -z[i];
    z[d / 2] = Scalar(0.99);
  }
  return all;
}

template <class Scalar>
double sum_of_squares(const std::vector<Scalar>& z, double unit) {
  double sum = 0.0;
  for (const Scalar value : z) sum += std::pow(static_cast<double>(value) / unit, 2);
  return sum;
}

/// Returns E ||C(z) - z||^2 in units of unit^2; nothing if only sampling could measure it.
template <class Scalar>
std::optional<double> expected_error(const std::string& spelling, const std::vector<Scalar>& z, double unit) {
  const auto compressor = build<Scalar>(spelling, z.size());
  double error = 0.0;
  // After a random rotation a deterministic quantizer keeps its bound in every draw, so one message is
  // enough.
  const bool told_by_one =
      compressor->traits(z.size()).deterministic || contains(compressor->spelling(), "| nearest(");
  if (told_by_one) {
    PacketBuffer out = buffer();
    RandomStream random(20, 0, 1, Purpose::compression);
    std::vector<Scalar> value(z.size(), Scalar(0));
    REQUIRE(compressor->encode_and_apply({z, random}, out, value) == CodecStatus::ok);
    for (std::size_t i = 0; i < z.size(); ++i)
      error += std::pow((static_cast<double>(value[i]) - static_cast<double>(z[i])) / unit, 2);
    return error;
  }
  const auto* rounding = dynamic_cast<RoundingCompressor<Scalar>*>(compressor.get());
  if (!rounding) return std::nullopt;
  const auto brackets = rounding->brackets(z);
  if (brackets.size() != z.size()) return std::nullopt;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double input = static_cast<double>(z[i]);
    const double p = brackets[i].probability_up;
    error += p * std::pow((brackets[i].high - input) / unit, 2) +
             (1 - p) * std::pow((brackets[i].low - input) / unit, 2);
  }
  return error;
}

}  // namespace

TEST_CASE_TEMPLATE("compressors: relative bounds hold down to where traits.hpp says, absolute ones below",
                   Scalar, float, double) {
  int judged = 0;
  for (const std::string& spelling : spellings()) {
    CAPTURE(spelling);
    const double r = relative_from<Scalar>(spelling);
    for (const std::size_t d : {1u, 17u, 700u})
      for (const auto& shape : shapes<Scalar>(d))
        for (const int exponent : {1, 0, -1, -8, -11, -20, -21, -30, -42}) {
          CAPTURE(d);
          CAPTURE(exponent);
          const Traits traits = build<Scalar>(spelling, d)->traits(d);
          if (!traits.contraction && !(traits.unbiased && std::isfinite(traits.omega))) break;
          std::vector<Scalar> z = shape;
          for (Scalar& value : z) value = static_cast<Scalar>(static_cast<double>(value) * r);
          for (Scalar& value : z) value = std::ldexp(value, exponent);
          const auto error = expected_error(spelling, z, r);
          if (!error) break;
          const double size = std::max(sum_of_squares(z, r), static_cast<double>(d));
          if (traits.contraction) CHECK(*error <= ((1 - *traits.contraction) * (1 + 1e-5) + 1e-7) * size);
          if (traits.unbiased) CHECK(*error <= (traits.omega * (1 + 1e-5) + 1e-7) * size);
          ++judged;
        }
  }
  CHECK(judged > 5000);
}

TEST_CASE_TEMPLATE("compressors: what encodes decodes, and who sends what leaves the range is told", Scalar,
                   float, double) {
  constexpr Scalar largest = std::numeric_limits<Scalar>::max();
  int refused = 0;
  for (const std::string& spelling : spellings())
    for (const std::size_t d : {1u, 2u, 17u, 700u})
      for (const auto& shape : shapes<Scalar>(d))
        for (const double share : {1.0, 0.5, 1.0 / 16, 1e-3, 1e-6}) {
          CAPTURE(spelling);
          CAPTURE(d);
          CAPTURE(share);
          std::vector<Scalar> z = shape;
          for (Scalar& value : z) value *= static_cast<Scalar>(share) * largest;
          const auto compressor = build<Scalar>(spelling, d);
          PacketBuffer out = buffer();
          RandomStream random(20, 0, 1, Purpose::compression);
          const CodecStatus told = compressor->encode({z, random}, out);
          std::vector<Scalar> into(d, Scalar(0));
          const CodecStatus seen = compressor->accumulate(out.bytes(), Scalar(1), into);
          CHECK(seen == (told == CodecStatus::ok ? CodecStatus::ok : CodecStatus::not_finite));
          RandomStream again(20, 0, 1, Purpose::compression);
          std::vector<Scalar> applied(d, Scalar(0));
          CHECK(compressor->encode_and_apply({z, again}, out, applied) == told);
          refused += told == CodecStatus::saturated;
        }
  CHECK(refused > 50);
}

TEST_CASE("fwht, kashin: a spike that spreads beyond the range on its way is saturated, not silently lost") {
  for (const std::string spelling : {"fwht(block=4) | topk(100%)", "kashin(block=4) | nearest(bits=16)",
                                     "fwht(block=64) | grid(step=1e38)"}) {
    CAPTURE(spelling);
    const auto compressor = make_compressor<float>(spelling, {});
    const std::vector<float> z(64, std::numeric_limits<float>::max());
    PacketBuffer out = buffer();
    int saturated = 0;
    for (std::uint64_t iteration = 0; iteration < 20; ++iteration) {
      RandomStream random(1, 0, iteration, Purpose::compression);
      const CodecStatus told = compressor->encode({z, random}, out);
      std::vector<float> into(64, 0.0f);
      const CodecStatus seen = compressor->accumulate(out.bytes(), 1.0f, into);
      CHECK((told == CodecStatus::ok) == (seen == CodecStatus::ok));
      saturated += told == CodecStatus::saturated;
    }
    CHECK(saturated > 0);
  }
}

}  // namespace hearsay::test::compressor_range_test

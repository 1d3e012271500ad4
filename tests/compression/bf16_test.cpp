#include "algorithms/compression/quantizers/bf16.hpp"

#include <doctest/doctest.h>

#include <bit>

#include "algorithms/arithmetic/reductions.hpp"
#include "tests/compression/compression.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::test::bf16_test {

namespace {

constexpr std::size_t all_codes = 1u << 16;

/// The value of a bfloat16.
float float_of(std::size_t code) { return std::bit_cast<float>(static_cast<std::uint32_t>(code) << 16); }

template <class Scalar>
std::vector<std::int32_t> codes_of(const Bf16<Scalar>& bf16, const std::vector<Scalar>& z, ElementKey key,
                                   CodecStatus expected = CodecStatus::ok) {
  std::vector<std::int32_t> codes(z.size());
  CHECK(bf16.quantize(z, {key, {}}, {}, codes) == expected);
  return codes;
}

}  // namespace

TEST_CASE_TEMPLATE("bf16: none(bf16) is bf16, and none knows no other format", Scalar, float, double) {
  CHECK(make_compressor<Scalar>("none(bf16)", {})->spelling() == "bf16");
  CHECK(make_compressor<Scalar>("none", {})->spelling() == "none");
  CHECK_THROWS_AS(make_compressor<Scalar>("none(fp8)", {}), Misuse);
}

TEST_CASE_TEMPLATE("bf16: every bfloat16 stays what it is, and decodes to the float it is", Scalar, float,
                   double) {
  for (const bool nearest : {false, true}) {
    const Bf16<Scalar> bf16(nearest);
    std::vector<Scalar> z;
    std::vector<std::int32_t> codes;
    for (std::size_t code = 0; code < all_codes; ++code)
      if (std::isfinite(float_of(code))) {
        z.push_back(static_cast<Scalar>(float_of(code)));
        codes.push_back(static_cast<std::int32_t>(code));
      }
    CHECK(z.size() == all_codes - 2 * 128);
    CHECK(codes_of(bf16, z, {77, 3}) == codes);
    std::vector<Scalar> values(z.size());
    CHECK(bf16.reconstruct({}, codes, values) == CodecStatus::ok);
    CHECK(values == z);
  }
}

TEST_CASE("bf16: for every fraction of a float the mean is the input exactly, and omega is what is stated") {
  const Bf16<float> bf16(false);
  double worst = 0.0;
  for (const std::uint32_t exponent : {0u, 1u, 127u, 253u}) {
    std::vector<float> z;
    for (std::uint32_t fraction = 0; fraction < 1u << 18; ++fraction)
      z.push_back(-std::bit_cast<float>(exponent << 23 | fraction));
    const auto brackets = bf16.brackets(z);
    for (std::size_t i = 0; i < z.size(); ++i) {
      const auto input = static_cast<double>(z[i]);
      if (brackets[i].mean() != input) FAIL("fraction " << i);
      if (exponent > 0) worst = std::max(worst, brackets[i].variance() / (input * input));
    }
  }
  CHECK(worst <= bf16.traits(1).omega);
  CHECK(worst > bf16.traits(1).omega * (1 - 1e-4));
}

TEST_CASE_TEMPLATE(
    "bf16: a coordinate goes to the far neighbor exactly when its random bits are below the fraction", Scalar,
    float, double) {
  const Bf16<Scalar> bf16(false);
  const auto z = gaussian<Scalar>(3000, 2);
  const ElementKey key{11, 12};
  const auto codes = codes_of(bf16, z, key);
  const auto brackets = bf16.brackets(z);
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double far_probability = z[i] < 0 ? 1.0 - brackets[i].probability_up : brackets[i].probability_up;
    const bool far = element_bits(key, static_cast<std::uint32_t>(i)) * 0x1p-32 < far_probability;
    const double expected = far == (z[i] > 0) ? brackets[i].high : brackets[i].low;
    REQUIRE(static_cast<double>(float_of(static_cast<std::size_t>(codes[i]))) == expected);
  }
}

TEST_CASE_TEMPLATE(
    "bf16: the nearest is the nearest, ties go to the even one, the relative error is at most 1/257", Scalar,
    float, double) {
  const Bf16<Scalar> bf16(true);
  const Scalar tie = Scalar(1) + Scalar(0x1p-8);
  const Scalar next_tie = Scalar(1) + Scalar(3 * 0x1p-8);
  const Scalar epsilon = std::numeric_limits<Scalar>::epsilon();
  const std::vector<Scalar> z{tie, -tie, next_tie, tie + 2 * epsilon, tie - 2 * epsilon};
  CHECK(codes_of(bf16, z, {}) == std::vector<std::int32_t>{0x3F80, 0xBF80, 0x3F82, 0x3F81, 0x3F80});
  double worst = 0.0;
  for (int k = 0; k < 100'000; ++k) {
    const auto value = static_cast<Scalar>(1.0 + k / 100'000.0);
    const double decoded = bf16.brackets(std::vector<Scalar>{value})[0].low;
    worst = std::max(worst, std::abs(decoded / static_cast<double>(value) - 1.0));
  }
  CHECK(worst <= 1.0 / 257);
  CHECK(worst > 0.999 / 257);
  CHECK(1.0 - *bf16.traits(1).contraction == doctest::Approx(worst * worst).epsilon(2e-3));
}

TEST_CASE_TEMPLATE("bf16: what is above the largest bfloat16 is saturated and decodes as no number", Scalar,
                   float, double) {
  const Scalar largest = static_cast<Scalar>(float_of(0x7F7F));
  for (const bool nearest : {false, true}) {
    const Bf16<Scalar> bf16(nearest);
    CHECK(codes_of(bf16, {largest, -largest}, {}) == std::vector<std::int32_t>{0x7F7F, 0xFF7F});
    const auto codes =
        codes_of(bf16, {Scalar(1), -std::nextafter(largest, std::numeric_limits<Scalar>::infinity())}, {},
                 CodecStatus::saturated);
    std::vector<Scalar> values(2);
    CHECK(bf16.reconstruct({}, codes, values) == CodecStatus::not_finite);
  }
  const Bf16<Scalar> bf16(false);
  for (const std::int32_t code : {0x7F80, 0xFF80, 0x7FC0, 0xFFFF}) {
    std::vector<Scalar> values(1);
    CHECK(bf16.reconstruct({}, std::vector<std::int32_t>{code}, values) == CodecStatus::not_finite);
  }
}

TEST_CASE_TEMPLATE("bf16: the omega of Gaussian data is that of Gaussian vectors", Scalar, float, double) {
  const Bf16<Scalar> bf16(false);
  const auto z = gaussian<Scalar>(200'000, 3);
  double variance = 0.0;
  for (const Bracket& bracket : bf16.brackets(z)) variance += bracket.variance();
  CHECK(variance / squared_norm<Scalar>(z) == doctest::Approx(bf16.traits(1).omega_typical).epsilon(0.01));
}

}  // namespace hearsay::test::bf16_test

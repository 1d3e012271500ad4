#include "algorithms/compression/transforms/clip.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "algorithms/arithmetic/reductions.hpp"
#include "tests/compression/compression.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::test::clip_test {

namespace {

template <class Scalar>
std::vector<Scalar> clipped(const std::string& spelling, const std::vector<Scalar>& z,
                            const SegmentTable& segments) {
  const auto clip = Clip<Scalar>::parse(parse_pipeline(spelling).front(), segments);
  std::vector<Scalar> out(clip->coefficients(z.size()));
  clip->forward(z, 0, out);
  return out;
}

}  // namespace

TEST_CASE_TEMPLATE("clip: a layer is cut at c of its own standard deviations, by hand", Scalar, float,
                   double) {
  // Layer a: mean 1, deviations -1 -1 -1 -1 4, sigma 2; layer b: mean 0, sigma 3.
  const std::vector<Scalar> z{0, 0, 0, 0, 5, 3, -3, 3, -3};
  const SegmentTable layers{{"a", 0, 5}, {"b", 5, 4}};
  CHECK(clipped("clip(1.5sigma)", z, layers) == std::vector<Scalar>{0, 0, 0, 0, 3, 3, -3, 3, -3});
  CHECK(clipped("clip(0.5sigma)", z, layers) ==
        std::vector<Scalar>{0, 0, 0, 0, 1, Scalar(1.5), Scalar(-1.5), Scalar(1.5), Scalar(-1.5)});
  CHECK(clipped("clip(sigma=4sigma)", z, layers) == z);
}

TEST_CASE_TEMPLATE("clip: without layers the vector is one", Scalar, float, double) {
  const std::vector<Scalar> z{0, 0, 0, 0, 5};
  CHECK(clipped("clip(1sigma)", z, {}) == std::vector<Scalar>{0, 0, 0, 0, 2});
}

TEST_CASE_TEMPLATE("clip: what is inside the limit stays, what is outside has its sign and the limit", Scalar,
                   float, double) {
  for (const auto& z : adversarial_vectors<Scalar>()) {
    const auto y = clipped("clip(2.5sigma)", z, {});
    Scalar limit = 0;
    for (const Scalar value : y) limit = std::max(limit, std::abs(value));
    for (std::size_t i = 0; i < z.size(); ++i)
      if (y[i] != z[i])
        REQUIRE((std::abs(y[i]) == limit && limit < std::abs(z[i]) && (y[i] < 0) == (z[i] < 0)));
  }
}

TEST_CASE_TEMPLATE("clip: a power of two times the vector gives the power of two times the clipped one",
                   Scalar, float, double) {
  // Up to the ends of the number range, where squares would leave it.
  const auto z = gaussian<Scalar>(1000, 5);
  const auto y = clipped("clip(1.5sigma)", z, {});
  CHECK(y != z);
  const int most = std::numeric_limits<Scalar>::max_exponent - 5;
  for (const int exponent : {-most / 2, -20, 7, most / 2, most}) {
    auto scaled = z;
    auto expected = y;
    for (Scalar& value : scaled) value = std::ldexp(value, exponent);
    for (Scalar& value : expected) value = std::ldexp(value, exponent);
    CHECK(clipped("clip(1.5sigma)", scaled, {}) == expected);
  }
}

TEST_CASE_TEMPLATE("clip: equal coordinates have no spread and stay", Scalar, float, double) {
  for (const std::size_t n : {1u, 2u, 17u}) {
    const std::vector<Scalar> z(n, Scalar(-0.3));
    CHECK(clipped("clip(2.5sigma)", z, {}) == z);
  }
}

TEST_CASE("clip: of Gaussian coordinates 1.24 % lie beyond 2.5 sigma") {
  const std::size_t n = 100'000;
  const auto z = gaussian<double>(n, 3);
  const auto y = clipped("clip(2.5sigma)", z, {});
  std::size_t cut = 0;
  for (std::size_t i = 0; i < n; ++i) cut += y[i] != z[i];
  // The number of clipped coordinates is binomial with p = 0.012419; the bound is five standard deviations.
  CHECK(std::abs(static_cast<double>(cut) - 1241.9) < 5 * std::sqrt(1241.9));
}

TEST_CASE("clip: makes what follows biased, and says so") {
  const auto traits = make_compressor<float>("clip(2.5sigma) | dither(linf, levels=1)", {})->traits(1000);
  CHECK_FALSE(traits.unbiased);
  CHECK_FALSE(traits.contraction);
  CHECK(make_compressor<float>("dither(linf, levels=1)", {})->traits(1000).unbiased);
}

TEST_CASE("clip: needs a number and its unit") {
  for (const char* spelling :
       {"clip | qsgd", "clip(2.5) | qsgd", "clip(0sigma) | qsgd", "clip(sigma) | qsgd"})
    CHECK_THROWS_AS(make_compressor<float>(spelling, {}), Misuse);
  CHECK_THROWS_WITH_AS(
      make_compressor<float>("clip(2.5) | qsgd", {}),
      "algorithm.compressor = \"clip(2.5) | qsgd\": column 6: expected a number above 0 and its "
      "unit, such as 2.5sigma, got '2.5'",
      Misuse);
}

}  // namespace hearsay::test::clip_test

#include "algorithms/compression/quantizers/nearest.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "algorithms/arithmetic/reductions.hpp"
#include "tests/compression/compression.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::test::nearest_test {

TEST_CASE_TEMPLATE("nearest: every coordinate goes to the nearest level, the largest to itself", Scalar,
                   float, double) {
  for (const int bits : {2, 3, 4, 8, 11}) {
    const double levels = (1 << (bits - 1)) - 1;
    const auto z = gaussian<Scalar>(300, static_cast<std::uint64_t>(bits));
    const auto value = decoded("nearest(bits=" + std::to_string(bits) + ", bucket=whole)", z);
    double largest = 0.0;
    for (const Scalar x : z) largest = std::max(largest, std::abs(static_cast<double>(x)));
    for (std::size_t i = 0; i < z.size(); ++i) {
      const double error = std::abs(static_cast<double>(value[i]) - static_cast<double>(z[i]));
      const double slack = 4 * std::numeric_limits<Scalar>::epsilon() * largest;
      REQUIRE(error <= 0.5 * largest / levels + slack);
      REQUIRE(error <= std::abs(static_cast<double>(z[i])) + slack);
      if (std::abs(static_cast<double>(z[i])) == largest) REQUIRE(error <= slack);
    }
  }
}

TEST_CASE_TEMPLATE(
    "nearest: the contraction is reached where all but one coordinate lie half a step from zero", Scalar,
    float, double) {
  for (const auto& [bits, n] : {std::pair<int, std::size_t>{2, 50}, {3, 512}, {4, 100}, {8, 500}}) {
    const double levels = (1 << (bits - 1)) - 1;
    std::vector<Scalar> z(n, Scalar(0.5));
    z[n / 2] = static_cast<Scalar>(levels);
    const std::string spelling = "nearest(bits=" + std::to_string(bits) + ", bucket=512)";
    CHECK(lost_share(spelling, z) ==
          doctest::Approx(1.0 - *make_compressor<Scalar>(spelling, {})->traits(n).contraction).epsilon(1e-5));
  }
  CHECK(*make_compressor<Scalar>("nearest(2)", {})->traits(512).contraction == doctest::Approx(4.0 / 515));
  CHECK(*make_compressor<Scalar>("nearest(4)", {})->traits(5000).contraction == doctest::Approx(196.0 / 707));
}

TEST_CASE_TEMPLATE("nearest: the levels are those of dither, and ties go to the even one", Scalar, float,
                   double) {
  CHECK(decoded<Scalar>("nearest(3)", {3, Scalar(0.5), Scalar(1.5), Scalar(-2.5), Scalar(-0.4), 0}) ==
        std::vector<Scalar>{3, 0, 2, -2, 0, 0});
  const auto z = gaussian<Scalar>(1000, 5);
  const auto value = decoded("nearest(bits=4, bucket=100)", z);
  const auto dithered = make_compressor<Scalar>("dither(linf, bits=4, bucket=100)", {});
  const auto brackets = dynamic_cast<RoundingCompressor<Scalar>&>(*dithered).brackets(z);
  for (std::size_t i = 0; i < z.size(); ++i) {
    const bool up = brackets[i].probability_up > 0.5;
    REQUIRE(static_cast<double>(value[i]) == (up ? brackets[i].high : brackets[i].low));
  }
}

TEST_CASE("nearest: a width of 2 to 16 bits must be given") {
  CHECK_THROWS_WITH_AS(make_compressor<float>("nearest", {}), doctest::Contains("nearest needs bits="),
                       Misuse);
  CHECK_THROWS_WITH_AS(make_compressor<float>("nearest(1)", {}),
                       doctest::Contains("expected a whole number from 2 to 16"), Misuse);
  CHECK_THROWS_WITH_AS(make_compressor<float>("nearest(17)", {}),
                       doctest::Contains("expected a whole number from 2 to 16"), Misuse);
}

}  // namespace hearsay::test::nearest_test

#include "algorithms/compression/typical_omega.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "algorithms/arithmetic/reductions.hpp"
#include "tests/compression/compression.hpp"

namespace hearsay::test::typical_omega_test {

namespace {

/// Wrappers and transforms that mix, some nested, with much and with little left for the second compressor.
const std::vector<std::string> compositions = {
    "kashin(block=128) | dither(linf, levels=1, bucket=whole)",
    "kashin(block=64) | natural",
    "kashin | randk(40%, scaled) | qsgdinf(4)",
    "fwht(block=4096) | dither(linf, levels=1, bucket=whole)",
    "fwht | dither(l2, bits=4, bucket=whole)",
    "repeat(2){qsgdinf(2)}",
    "repeat(3){natural}",
    "repeat(2){randk(60%, scaled)}",
    "repeat(2){kashin | qsgdinf(3)}",
    "induced{topk(50%)}{terngrad}",
    "induced{topk(5%)}{qsgdinf(4)}",
    "induced{sign}{qsgdinf(3)}",
    "induced{randk(30%)}{natural}",
    "induced{topk(20%)}{repeat(2){qsgdinf(3)}}",
};

struct Measured {
  double omega;
  double standard_error;
};

/// Measures omega again, with vectors and random numbers of the test's own.
template <class Scalar>
Measured measured(Compressor<Scalar>& compressor, std::size_t d, std::uint64_t messages) {
  double sum = 0.0;
  double squares = 0.0;
  for (std::uint64_t k = 0; k < messages; ++k) {
    const auto z = gaussian<Scalar>(d, 1000 + k);
    std::vector<Scalar> left = z;
    PacketBuffer out = buffer();
    RandomStream random(5, 0, k, Purpose::compression);
    REQUIRE(compressor.encode({z, random}, out) == CodecStatus::ok);
    REQUIRE(compressor.accumulate(out.bytes(), Scalar(-1), left) == CodecStatus::ok);
    const double ratio = squared_norm<Scalar>(left) / squared_norm<Scalar>(z);
    sum += ratio;
    squares += ratio * ratio;
  }
  const auto n = static_cast<double>(messages);
  return {sum / n, std::sqrt(std::max(0.0, squares / n - sum / n * sum / n) / n)};
}

double typical(const std::string& spelling, std::size_t d) {
  return measured_traits(*build<double>(spelling, d), d).omega_typical;
}

}  // namespace

TEST_CASE_TEMPLATE(
    "typical omega: within a quarter of what a message loses of Gaussian data, for whatever states one",
    Scalar, float, double) {
  std::size_t judged = 0;
  std::vector<std::string> all = spellings();
  all.insert(all.end(), compositions.begin(), compositions.end());
  for (const std::string& spelling : all)
    for (const std::size_t d : {123u, 3000u}) {
      // One layer. Of several layers, the traits would state the omega of the largest.
      const auto compressor = make_compressor<Scalar>(spelling, {{"all", 0, static_cast<Index>(d)}});
      const Traits traits = measured_traits(*compressor, d);
      if (!traits.unbiased || !std::isfinite(traits.omega)) continue;
      ++judged;
      const Measured message = measured(*compressor, d, d < 1000 ? 200 : 20);
      CAPTURE(spelling);
      CAPTURE(d);
      CAPTURE(message.omega);
      CHECK(traits.omega_typical == measured_traits(*compressor, d).omega_typical);
      CHECK(traits.omega_typical <= traits.omega);
      // Formats that state an omega below their own rounding errors count as exact.
      const double rounding = std::pow(std::numeric_limits<Scalar>::epsilon(), 2);
      CHECK(std::abs(traits.omega_typical - message.omega) <=
            0.25 * message.omega + 4 * message.standard_error + 4 * rounding);
    }
  CHECK(judged > 80);
}

TEST_CASE("typical omega: what a wrapper leaves is not Gaussian, and coefficients are not coordinates") {
  CHECK(typical("kashin(block=4096) | dither(linf, levels=1, bucket=whole)", 123) < 0.5);
  CHECK(typical("induced{topk(50%)}{terngrad(whole)}", 65'536) == doctest::Approx(0.038).epsilon(0.1));
  CHECK(typical("repeat(2){qsgdinf(2)}", 123) == doctest::Approx(1.07).epsilon(0.1));
}

TEST_CASE("typical omega: neither biased compressors nor those of absolute error have one") {
  for (const char* spelling :
       {"topk(10%)", "scale{kashin | qsgdinf(4)}", "grid(0.1)", "induced{topk(10%)}{grid(0.1)}"})
    CHECK(std::isinf(typical(spelling, 100)));
}

}  // namespace hearsay::test::typical_omega_test

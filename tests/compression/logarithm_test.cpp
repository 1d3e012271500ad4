#include "algorithms/compression/quantizers/logarithm.hpp"

#include <doctest/doctest.h>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/arithmetic/wire_scalar.hpp"
#include "tests/compression/compression.hpp"
#include "tests/support/targets.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::test::logarithm_test {

TEST_CASE_TEMPLATE("log: powers of two below the largest magnitude are exact, others off by a third at most",
                   Scalar, float, double) {
  std::vector<Scalar> powers;
  for (int k = 0; k < 63; ++k) powers.push_back(std::ldexp(Scalar(k % 2 ? -3 : 3), -k));
  CHECK(decoded("log", powers) == powers);
  double worst = 0.0;
  for (int k = 0; k <= 100'000; ++k) {
    const auto value = static_cast<Scalar>(0.5 + 0.5 * k / 100'000.0);
    const double result = static_cast<double>(decoded<Scalar>("log", {Scalar(1), value})[1]);
    worst = std::max(worst, std::abs(result / static_cast<double>(value) - 1.0));
  }
  CHECK(worst == doctest::Approx(1.0 / 3));
  CHECK(worst <= 1.0 / 3 + 1e-7);
}

TEST_CASE_TEMPLATE("log: the exponents go to 62, what is nearer to zero than that becomes zero", Scalar,
                   float, double) {
  const Scalar last = Scalar(0x1p-62);
  const Scalar half = Scalar(0x1p-63);
  const Scalar above = std::nextafter(half, Scalar(1));
  CHECK(decoded<Scalar>("log", {-1, last, -last, half, above, -above, half / 2, Scalar(-0.0)}) ==
        std::vector<Scalar>{-1, last, -last, 0, last, -last, 0, 0});
  const Logarithm<Scalar> log(2.0, Buckets::whole());
  std::vector<std::int32_t> codes(4);
  std::vector<std::byte> header(sizeof(Scalar));
  CHECK(log.quantize(std::vector<Scalar>{5, Scalar(-2.5), Scalar(5 * 0x1p-62), 0}, {{1, 2}, {}}, header,
                     codes) == CodecStatus::ok);
  CHECK(codes == std::vector<std::int32_t>{1, -2, 63, 0});
  CHECK(read_scalar<Scalar>(header, 0) == Scalar(5));
}

TEST_CASE_TEMPLATE("log: of neighboring levels the nearer one, ties to the smaller", Scalar, float, double) {
  CHECK(decoded<Scalar>("log", {4, 3, std::nextafter(Scalar(3), Scalar(4)), Scalar(-1.5), Scalar(-1.6)}) ==
        std::vector<Scalar>{4, 2, 4, -1, -2});
  CHECK(decoded<Scalar>("log(base=4)", {16, 10, Scalar(10.5), Scalar(2.5), Scalar(2.6)}) ==
        std::vector<Scalar>{16, 4, 16, 1, 4});
}

TEST_CASE_TEMPLATE("log: the stated contraction is that of its worst vectors", Scalar, float, double) {
  const auto stated = [](const std::string& spelling, std::size_t n) {
    return 1.0 - *make_compressor<Scalar>(spelling, {})->traits(n).contraction;
  };
  // Nearly all coordinates are at a tie: 1/9 of the square of the norm is lost, up to the share of the
  // largest coordinate, which is exact.
  std::vector<Scalar> ties(20'000, Scalar(0.75));
  ties[7] = Scalar(1);
  CHECK(lost_share("log", ties) == doctest::Approx(1.0 / 9).epsilon(1e-3));
  CHECK(stated("log", ties.size()) == doctest::Approx(1.0 / 9));
  CHECK(stated("log(base=3)", ties.size()) == doctest::Approx(0.25));
  // With a base near 1 the last level is high, and much below it is dropped.
  const double last = std::pow(1.1, -62);
  std::vector<Scalar> dropped(2'000'000, static_cast<Scalar>(last / 2 * 0.99999));
  dropped[0] = Scalar(1);
  CHECK(lost_share("log(base=1.1)", dropped) ==
        doctest::Approx(stated("log(base=1.1)", dropped.size())).epsilon(1e-3));
  CHECK(stated("log(base=1.1)", dropped.size()) > 0.5);
  CHECK(stated("log", 1) == 0.0);
}

TEST_CASE("log: codes of many values are those of each alone with the largest, on every instruction set") {
  for (const double base : {1.15, 1.2, 1.25, 1.7, 2.0, 3.0, 4.0})
    for (const float largest : {1.0f, 1.99f, 0x1.23p-30f, 0x1p100f}) {
      CAPTURE(base);
      CAPTURE(largest);
      const Logarithm<float> log(base, Buckets::whole());
      std::vector<float> z = gaussian<float>(1'500, 8);
      for (float& value : z) value = std::clamp(value * largest / 3, -largest, largest);
      // Both neighbors of what lies between two levels, levels, and numbers near 0.
      for (double level = static_cast<double>(largest); level > 1e-40; level /= base)
        for (const double size : {level, level * (1 + 1 / base) / 2, level / 2}) {
          const auto near = static_cast<float>(size);
          for (const float value : {near, std::nextafter(near, 0.0f), std::nextafter(near, 1e38f)})
            z.push_back(z.size() % 2 ? -std::min(value, largest) : std::min(value, largest));
        }
      z.insert(z.end(), {0.0f, -0.0f, 1e-45f, -1e-42f, largest});
      std::vector<std::int32_t> expected(z.size()), codes(z.size()), pair(2);
      std::vector<std::byte> header(sizeof(float));
      for (std::size_t i = 0; i < z.size(); ++i) {
        REQUIRE(log.quantize(std::vector{z[i], largest}, {{1, 2}, {}}, header, pair) == CodecStatus::ok);
        expected[i] = pair[0];
      }
      on_every_target([&] {
        REQUIRE(log.quantize(z, {{1, 2}, {}}, header, codes) == CodecStatus::ok);
        REQUIRE(codes == expected);
      });
    }
}

TEST_CASE("log: bases above 1 and up to 16 are taken") {
  for (const char* wrong : {"log(1)", "log(base=0.5)", "log(base=17)"})
    CHECK_THROWS_WITH_AS(make_compressor<float>(wrong, {}),
                         doctest::Contains("expected a number above 1 and at most 16"), Misuse);
}

}  // namespace hearsay::test::logarithm_test

#include "algorithms/compression/selectors/threshold.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/compression/compression.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::threshold_test {

namespace {

template <class Scalar>
std::vector<std::uint32_t> kept(const std::string& spelling, const std::vector<Scalar>& z) {
  const auto threshold = Threshold<Scalar>::parse(parse_pipeline(spelling).front(), {});
  RandomStream random(1, 0, 0, Purpose::compression);
  Selection selection;
  threshold->select({z, random}, {}, selection);
  return selection.indices;
}

using Indices = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE_TEMPLATE("threshold: what reaches the limit is kept, the limit itself among it", Scalar, float,
                   double) {
  const std::vector<Scalar> z{1, -4, Scalar(-0.5), 0, 2, Scalar(1.9375)};
  CHECK(kept("threshold(rel=0.5)", z) == Indices{1, 4});
  CHECK(kept("threshold(rel=2^-2)", z) == Indices{0, 1, 4, 5});
  CHECK(kept("threshold(rel=1)", z) == Indices{1});
  CHECK(kept("threshold(abs=1.9375)", z) == Indices{1, 4, 5});
  CHECK(kept("threshold(abs=1e-300)", z) == Indices{0, 1, 2, 4, 5});  // zeros are never kept
}

TEST_CASE_TEMPLATE("threshold: one coordinate at least, the first of the largest", Scalar, float, double) {
  const std::vector<Scalar> z{1, -2, 2, 0};
  CHECK(kept("threshold(abs=2.5)", z) == Indices{1});
  CHECK(kept("threshold(abs=1e300)", z) == Indices{1});
  CHECK(kept("threshold(rel=1)", z) == Indices{1, 2});
  CHECK(kept("threshold(rel=0.1)", std::vector<Scalar>{0, 0}) == Indices{0});
  CHECK(kept("threshold(abs=0.1)", std::vector<Scalar>{Scalar(-0.0)}) == Indices{0});
}

TEST_CASE_TEMPLATE("threshold: the comparison is exact", Scalar, float, double) {
  // 0.1 lies between two floats, of which the lower does not reach it.
  for (const double limit : {0.1, 0.3, 1e-5, 0x1p-140}) {
    auto above = static_cast<Scalar>(limit);
    if (static_cast<double>(above) < limit) above = std::nextafter(above, Scalar(1));
    const Scalar below = std::nextafter(above, Scalar(0));
    Threshold<Scalar> threshold(limit, false);
    const std::vector<Scalar> z{below, above, -below, -above};
    RandomStream random(1, 0, 0, Purpose::compression);
    Selection selection;
    threshold.select({z, random}, {}, selection);
    CHECK(selection.indices == Indices{1, 3});
  }
}

TEST_CASE_TEMPLATE("threshold: loses at most its stated share of the squared norm, and attains it", Scalar,
                   float, double) {
  for (const std::string spelling : {"threshold(rel=0.5)", "threshold(rel=0.01)", "threshold(rel=1)",
                                     "threshold(abs=0.4)", "threshold(abs=100)"})
    for (const auto& z : adversarial_vectors<Scalar>()) {
      if (z.empty()) continue;
      const Traits traits = Threshold<Scalar>::parse(parse_pipeline(spelling).front(), {})->traits(z.size());
      double largest = 0.0;
      for (const Scalar value : z) largest = std::max(largest, std::abs(static_cast<double>(value)));
      if (largest == 0.0) continue;
      const Indices indices = kept(spelling, z);
      double dropped = 0.0;
      double total = 0.0;
      for (std::size_t i = 0; i < z.size(); ++i) {
        const double value = static_cast<double>(z[i]) / largest;
        total += value * value;
        if (std::ranges::binary_search(indices, i)) continue;
        dropped += value * value;
        if (traits.absolute_error_per_coordinate)
          REQUIRE(std::abs(static_cast<double>(z[i])) < *traits.absolute_error_per_coordinate);
      }
      CHECK(dropped <= (1.0 - *traits.contraction) * total * (1 + 1e-9) + 1e-15);
    }
  // One large coordinate, all others slightly below the limit.
  std::vector<double> z(100, std::nextafter(0.25, 0.0));
  z[40] = -1.0;
  CHECK(kept("threshold(rel=0.25)", z) == Indices{40});
  CHECK(1.0 / (1.0 + 99.0 * 0.0625) ==
        doctest::Approx(*make_compressor<double>("threshold(rel=0.25)", {})->traits(100).contraction));
}

TEST_CASE_TEMPLATE("threshold: a message with no coordinate at all is malformed, as none is ever sent",
                   Scalar, float, double) {
  // A message with all d coordinates dropped: the count d, no indices, no values.
  const std::vector<std::byte> nothing{std::byte{5}, std::byte{0}, std::byte{0}, std::byte{0}};
  std::vector<Scalar> into(5, Scalar(1));
  const auto threshold = make_compressor<Scalar>("threshold(rel=0.5)", {});
  CHECK(threshold->accumulate(nothing, Scalar(1), into) == CodecStatus::malformed);
  // From adacomp the same message is valid: it sends this for a vector of zeros.
  const auto adacomp = make_compressor<Scalar>("adacomp(bin=5) | delta", {});
  CHECK(adacomp->accumulate(nothing, Scalar(1), into) == CodecStatus::ok);
  CHECK(into == std::vector<Scalar>(5, Scalar(1)));
}

TEST_CASE("threshold: is told one limit, as a number or a power of two") {
  CHECK(make_compressor<float>("threshold(rel=2^-12)", {})->spelling() == "threshold(rel=0.000244140625)");
  CHECK(make_compressor<float>("threshold(abs=2^3)", {})->spelling() == "threshold(abs=8)");
  CHECK(make_compressor<float>("grid(step=2^-6)", {})->spelling() == "grid(step=0.015625)");
  for (const char* spelling :
       {"threshold", "threshold(0.1)", "threshold(rel=0)", "threshold(rel=1.5)", "threshold(rel=2^1)",
        "threshold(rel=2^)", "threshold(rel=2^-0.5)", "threshold(rel=3^-2)", "threshold(abs=-1)",
        "threshold(abs=2^99999)", "threshold(abs=2^-99999)", "threshold(rel=0.1, abs=2)"})
    CHECK_THROWS_AS(make_compressor<float>(spelling, {}), Misuse);
  CHECK(misuse_text([] {
          make_compressor<float>("threshold(rel=2^-0.5)", {});
        }).ends_with("column 15: expected a whole number after 2^, such as 2^-12, got '2^-0.5'"));
}

}  // namespace hearsay::test::threshold_test

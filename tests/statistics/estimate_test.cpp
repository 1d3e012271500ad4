#include "tools/statistics/estimate.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

namespace hearsay::estimate_test {

TEST_CASE("statistics: the quantiles of Student's t are those of the published table") {
  struct Line {
    std::size_t degrees_of_freedom;
    double quantile;
  };
  // NIST/SEMATECH e-Handbook of Statistical Methods, section 1.3.6.7.2, column 0.975.
  for (const Line& line :
       {Line{1, 12.706}, Line{2, 4.303}, Line{3, 3.182}, Line{4, 2.776}, Line{5, 2.571}, Line{6, 2.447},
        Line{7, 2.365}, Line{8, 2.306}, Line{9, 2.262}, Line{10, 2.228}, Line{15, 2.131}, Line{20, 2.086},
        Line{29, 2.045}, Line{60, 2.000}, Line{100, 1.984}}) {
    CAPTURE(line.degrees_of_freedom);
    CHECK(std::abs(student_t(line.degrees_of_freedom) - line.quantile) < 5.1e-4);
  }
}

TEST_CASE("statistics: mean, deviation and interval of five values, worked out by hand") {
  // Mean 4, squares 4 + 1 + 0 + 1 + 4 = 10, deviation sqrt(10 / 4), half 2.776445 * 1.581139 / sqrt(5).
  const Estimate found = estimate_mean(std::vector<double>{2.0, 3.0, 4.0, 5.0, 6.0});
  CHECK(found.count == 5);
  CHECK(found.mean == 4.0);
  CHECK(found.deviation == doctest::Approx(1.5811388));
  CHECK(found.low == doctest::Approx(4.0 - 1.9632432));
  CHECK(found.high == doctest::Approx(4.0 + 1.9632432));
}

TEST_CASE("statistics: one value has no interval, and no value has no mean") {
  const Estimate one = estimate_mean(std::vector<double>{7.0});
  CHECK(one.mean == 7.0);
  CHECK(std::isnan(one.deviation));
  CHECK(std::isnan(one.low));
  const Estimate none = estimate_mean({});
  CHECK(none.count == 0);
  CHECK(std::isnan(none.mean));
}

TEST_CASE("statistics: equal values have an interval of no width") {
  for (const double value : {3.0, 0.2304, 1e-7}) {  // 0.2304 * 3 / 3 is another number
    const Estimate found = estimate_mean(std::vector<double>{value, value, value});
    CHECK(found.mean == value);
    CHECK(found.deviation == 0.0);
    CHECK(found.low == value);
    CHECK(found.high == value);
  }
}

TEST_CASE("statistics: pairs show a gain that the means of both sides hide") {
  // Seeds differ by factors of up to 8; with every seed the second is 8 to 12 % slower.
  const std::vector<double> quick = {1.0, 2.0, 4.0, 8.0};
  const std::vector<double> slow = {1.1, 2.16, 4.48, 8.8};
  const Estimate paired = estimate_ratio(slow, quick);
  CHECK(paired.count == 4);
  CHECK(paired.mean == doctest::Approx(std::pow(1.1 * 1.08 * 1.12 * 1.1, 0.25)));
  CHECK(paired.low > 1.0);
  CHECK(paired.high < 1.15);
  const Estimate alone = estimate_mean(quick);
  const Estimate beside = estimate_mean(slow);
  CHECK(alone.high > beside.low);  // unpaired, the two cannot be told apart
  CHECK(beside.high > alone.low);
}

TEST_CASE("statistics: a ratio and its inverse are one finding") {
  const std::vector<double> ones = {1.0, 2.0, 5.0};
  const std::vector<double> others = {2.0, 3.0, 4.0};
  const Estimate there = estimate_ratio(ones, others);
  const Estimate back = estimate_ratio(others, ones);
  CHECK(there.mean == doctest::Approx(1.0 / back.mean));
  CHECK(there.low == doctest::Approx(1.0 / back.high));
}

}  // namespace hearsay::estimate_test

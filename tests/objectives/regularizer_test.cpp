#include "algorithms/objectives/regularizer.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/arithmetic/reductions.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::regularizer_test {

namespace {

/// The layers of a model: a matrix of 4 x 3, and a vector of 5.
const SegmentTable segments = {{"weights", 0, 4, 3}, {"biases", 12, 5, 1}};
constexpr Index dimension = 17;

const std::vector<std::string> all = {"none",
                                      "l1(0.4)",
                                      "elastic-net(0.4, 0.7)",
                                      "group-lasso(0.3)",
                                      "group-lasso(0.3, 4)",
                                      "box(-0.5, 0.25)",
                                      "box(-inf, 0.25)",
                                      "non-negative"};

Vector<double> random_point(std::uint64_t seed) {
  RandomStream random(seed, 0, 0, Purpose::data);
  Vector<double> x(dimension);
  for (double& entry : x) entry = random.normal();
  return x;
}

Vector<double> mapped(const Regularizer<double>& h, double step, Vector<double> q) {
  h.prox(step, q);
  return q;
}

}  // namespace

TEST_CASE("regularizer: the proximal map minimises h(x) + ||x - q||^2 / (2 a)") {
  for (const std::string& spelling : all) {
    CAPTURE(spelling);
    const auto h = make_regularizer<double>(spelling, segments);
    for (std::uint64_t seed = 0; seed < 20; ++seed)
      for (const double step : {0.01, 0.5, 3.0}) {
        const Vector<double> q = random_point(seed);
        const Vector<double> x = mapped(*h, step, q);
        const auto objective = [&](const Vector<double>& at) {
          return h->value(at) + (at - q).squaredNorm() / (2.0 * step);
        };
        const double least = objective(x);
        REQUIRE(std::isfinite(least));
        // The minimised function is strongly convex. At any other point it is larger by at least the squared
        // distance over 2 a.
        for (std::uint64_t other = 0; other < 10; ++other)
          for (const double distance : {1e-4, 1e-2, 1.0}) {
            const Vector<double> away = distance * random_point(100 + other);
            CHECK(objective(x + away) >= least + away.squaredNorm() / (2.0 * step) - 1e-12);
          }
      }
  }
}

TEST_CASE("regularizer: a proximal map is firmly non-expansive") {
  for (const std::string& spelling : all) {
    CAPTURE(spelling);
    const auto h = make_regularizer<double>(spelling, segments);
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      const Vector<double> p = random_point(2 * seed);
      const Vector<double> q = random_point(2 * seed + 1);
      const Vector<double> difference = mapped(*h, 0.3, p) - mapped(*h, 0.3, q);
      CHECK(difference.squaredNorm() <= difference.dot(p - q) + 1e-14);
    }
  }
}

TEST_CASE("regularizer: l1 makes exact zeros at the threshold and below, and moves the rest by it") {
  const auto h = make_regularizer<float>("l1(0.5)", {{"x", 0, 6}});
  Vector<float> x(6);
  x << 0.125f, -0.125f, 0.1f, -1.0f, 2.0f, -0.0f;
  h->prox(0.25f, x);  // threshold 0.125
  const Vector<float> expected = (Vector<float>(6) << 0, 0, 0, -0.875f, 1.875f, 0).finished();
  CHECK(x == expected);
}

TEST_CASE("regularizer: what is not a number stays so, and a huge one does not vanish") {
  for (const std::string& spelling : all) {
    CAPTURE(spelling);
    const auto h = make_regularizer<double>(spelling, segments);
    Vector<double> x = Vector<double>::Ones(dimension);
    x[2] = std::numeric_limits<double>::quiet_NaN();
    CHECK(std::isnan(mapped(*h, 0.1, x)[2]));
    x[2] = std::numeric_limits<double>::infinity();
    CHECK_FALSE(mapped(*h, 0.1, x)[2] == 0.0);
  }
}

TEST_CASE(
    "regularizer: the groups are the features of a model with several outputs, or blocks of a given size") {
  const auto features = make_regularizer<double>("group-lasso(1)", segments);
  Vector<double> x = Vector<double>::Zero(dimension);
  for (Index output = 0; output < 4; ++output) {
    x[3 * output + 1] = output == 0 ? 3.0 : output == 2 ? 4.0 : 0.0;  // the second feature
    x[3 * output + 2] = 1e-3;                                         // the third, below the threshold
  }
  CHECK(features->value(x) == doctest::Approx(2.0 * 5.0 + 2.0 * 2e-3));
  const Vector<double> kept = mapped(*features, 0.1, x);
  double length = 0.0;
  for (Index output = 0; output < 4; ++output) {
    CHECK(kept[3 * output + 2] == 0.0);
    length += kept[3 * output + 1] * kept[3 * output + 1];
  }
  CHECK(std::sqrt(length) == doctest::Approx(5.0 - 0.1 * 2.0));
  // Blocks of 4 end with their layer: 4, 4, 4 | 4, 1.
  const auto blocks = make_regularizer<double>("group-lasso(1, 4)", segments);
  CHECK(blocks->value(Vector<double>::Ones(dimension)) == doctest::Approx(4 * 2.0 * 2.0 + 1.0));
}

TEST_CASE("regularizer: h of a point outside of the box is infinite") {
  const auto h = make_regularizer<double>("box(-1, 1)", {{"x", 0, 2}});
  CHECK(h->value((Vector<double>(2) << 1, -1).finished()) == 0.0);
  CHECK(h->value((Vector<double>(2) << 1.001, 0).finished()) == std::numeric_limits<double>::infinity());
}

TEST_CASE("regularizer: the mean of models in the box is in the box, whatever its rounding") {
  const auto h = make_regularizer<double>("box(-0.1, 0.1)", {{"x", 0, 1}});
  const double mean = (0.1 + 0.1 + 0.1) / 3.0;
  REQUIRE(mean > 0.1);
  CHECK(h->value(Vector<double>::Constant(1, mean)) == 0.0);
}

TEST_CASE("regularizer: spelled out again it is the same") {
  for (const std::string& spelling : all)
    CHECK(make_regularizer<double>(spelling, segments)->spelling() == spelling);
}

TEST_CASE("regularizer: misspelt ones are refused with key, value and expectation") {
  const auto refusal = [](const std::string& spelling) {
    return misuse_text([&] { make_regularizer<double>(spelling, segments); });
  };
  CHECK(refusal("l2(0.1)").starts_with("model.regularizer = l2:"));
  CHECK(refusal("l1") == "model.regularizer = l1: expected l1(lambda)");
  CHECK(refusal("l1(-1)") == "model.regularizer = l1(-1): expected strengths of at least 0, as in l1(0.001)");
  CHECK(refusal("box(1, -1)") == "model.regularizer = box(1, -1): expected the lower bound first");
  CHECK(refusal("box(a, 1)").ends_with("expected numbers, inf or -inf, as in box(-1, 1)"));
  CHECK(refusal("group-lasso(1, 0)")
            .ends_with("expected a group of at least 1 coordinate, as in group-lasso(0.001, 10)"));
  CHECK(refusal("elastic-net(1)") == "model.regularizer = elastic-net(1): expected elastic-net(l1, l2)");
}

}  // namespace hearsay::regularizer_test

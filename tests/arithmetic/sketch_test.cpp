#include "algorithms/arithmetic/sketch.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "tests/support/targets.hpp"

namespace hearsay::sketch_test {

namespace {

std::vector<double> gaussian(std::size_t size, std::uint64_t seed) {
  RandomStream stream(seed, 0, 0, Purpose::data);
  std::vector<double> x(size);
  for (double& value : x) value = stream.normal();
  return x;
}

double squared_norm_of(const Sketch& sketch) { return squared_distance(sketch, {}); }

}  // namespace

TEST_CASE("sketch: a unit vector has 64 entries of 1/8, and half of the signs differ from one to the next") {
  int differ = 0;
  Sketch before{};
  for (std::size_t k = 0; k < 200; ++k) {
    std::vector<double> unit(200);
    unit[k] = 1.0;
    const Sketch sketch = sketch_of<double>(unit, 7);
    for (std::size_t row = 0; row < sketch_size; ++row) {
      CHECK(std::abs(sketch[row]) == 0.125);
      differ += sketch[row] != before[row] && k > 0;
    }
    before = sketch;
  }
  // Binomial with 199 * 64 = 12,736 draws: 6,368, standard deviation 56.
  CHECK(differ > 6368 - 5 * 56);
  CHECK(differ < 6368 + 5 * 56);
}

TEST_CASE("sketch: it is linear, and the same for all who have the seed") {
  const std::vector<double> x = gaussian(500, 1);
  std::vector<double> twice = x;
  for (double& value : twice) value *= 2.0;
  const Sketch sketch = sketch_of<double>(x, 3);
  const Sketch double_sketch = sketch_of<double>(twice, 3);
  for (std::size_t row = 0; row < sketch_size; ++row) CHECK(double_sketch[row] == 2.0 * sketch[row]);
  CHECK(sketch_of<double>(x, 3) == sketch);
  CHECK(sketch_of<double>(x, 4) != sketch);
}

TEST_CASE_TEMPLATE(
    "sketch: on every instruction set it is the sum, coordinate by coordinate, of what the signs say", Scalar,
    float, double) {
  const std::vector<double> drawn = gaussian(137, 5);
  const std::vector<Scalar> x(drawn.begin(), drawn.end());
  Sketch expected{};
  for (std::uint32_t which = 0; which < 2; ++which) {
    RandomStream stream(3, std::numeric_limits<PeerId>::max(), which, Purpose::sketch);
    const ElementKey key = stream.element_key();
    for (std::uint32_t k = 0; k < x.size(); ++k)
      for (std::uint32_t row = 0; row < 32; ++row) {
        const auto value = static_cast<double>(x[k]);
        expected[32 * which + row] += (element_bits(key, k) >> row & 1) != 0 ? value : -value;
      }
  }
  for (double& sum : expected) sum /= 8.0;
  const int targets =
      test::on_every_target([&] { REQUIRE(sketch_of<Scalar>(std::span<const Scalar>(x), 3) == expected); });
  CHECK(targets >= 2);
}

TEST_CASE("sketch: its squared norm is that of the vector on average, with the stated deviation of 17.7 %") {
  constexpr int seeds = 400;
  const std::vector<double> x = gaussian(300, 2);
  double square = 0.0;
  for (const double value : x) square += value * value;
  double sum = 0.0;
  double sum_of_squares = 0.0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const double ratio = squared_norm_of(sketch_of<double>(x, seed)) / square;
    sum += ratio;
    sum_of_squares += ratio * ratio;
  }
  const double mean = sum / seeds;
  const double deviation = std::sqrt(sum_of_squares / seeds - mean * mean);
  const double stated = std::sqrt(2.0 / 64.0);
  CHECK(std::abs(mean - 1.0) < 4.0 * stated / std::sqrt(static_cast<double>(seeds)));
  CHECK(deviation < 1.15 * stated);
  CHECK(deviation > 0.85 * stated);
}

}  // namespace hearsay::sketch_test

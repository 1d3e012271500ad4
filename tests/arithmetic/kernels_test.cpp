#include "algorithms/arithmetic/reductions.hpp"

#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "tests/support/targets.hpp"

namespace hearsay::kernels_test {

namespace {

template <class Scalar>
std::vector<Scalar> gaussian(std::size_t n, std::uint64_t seed) {
  RandomStream random(seed, 0, 0, Purpose::data);
  std::vector<Scalar> x(n);
  for (Scalar& value : x) value = static_cast<Scalar>(random.normal());
  return x;
}

template <class Scalar>
std::span<const Scalar> all(const std::vector<Scalar>& x) {
  return x;
}

std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }

}  // namespace

TEST_CASE_TEMPLATE("kernels: a squared norm has the bits of the documented tree on every instruction set",
                   Scalar, float, double) {
  const auto x = gaussian<Scalar>(600, 2);
  const int targets = test::on_every_target([&] {
    for (std::size_t begin : {0u, 1u, 3u})
      for (std::size_t n : {0u, 1u, 7u, 15u, 16u, 17u, 31u, 33u, 100u, 512u, 597u}) {
        std::array<double, 16> lanes{};
        for (std::size_t i = 0; i < n; ++i) lanes[i % 16] += std::pow(static_cast<double>(x[begin + i]), 2);
        for (std::size_t width : {8, 4, 2, 1})
          for (std::size_t lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
        REQUIRE(bits(squared_norm(all(x).subspan(begin, n))) == bits(lanes[0]));
      }
  });
  CHECK(targets >= 2);
}

TEST_CASE_TEMPLATE("kernels: a sum is that of the documented tree, for every tail", Scalar, float, double) {
  const auto x = gaussian<Scalar>(100, 1);
  for (std::size_t n = 0; n <= x.size(); ++n) {
    std::array<double, 16> lanes{};
    for (std::size_t i = 0; i < n; ++i) lanes[i % 16] += static_cast<double>(x[i]);
    for (std::size_t width : {8, 4, 2, 1})
      for (std::size_t lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
    CHECK(bits(sum(all(x).first(n))) == bits(lanes[0]));
  }
}

TEST_CASE_TEMPLATE("kernels: where a vector lies does not change a bit", Scalar, float, double) {
  const auto x = gaussian<Scalar>(1003, 2);
  const auto y = gaussian<Scalar>(1003, 3);
  for (std::size_t shift = 1; shift < 20; ++shift) {
    std::vector<Scalar> moved_x(x.size() + shift), moved_y(y.size() + shift);
    std::copy(x.begin(), x.end(), moved_x.begin() + static_cast<std::ptrdiff_t>(shift));
    std::copy(y.begin(), y.end(), moved_y.begin() + static_cast<std::ptrdiff_t>(shift));
    const auto at_x = all(moved_x).subspan(shift);
    const auto at_y = all(moved_y).subspan(shift);
    CHECK(bits(squared_norm(at_x)) == bits(squared_norm(all(x))));
    CHECK(bits(dot(at_x, at_y)) == bits(dot(all(x), all(y))));
    CHECK(bits(squared_distance(at_x, at_y)) == bits(squared_distance(all(x), all(y))));
    CHECK(bits(squared_deviation(at_x, 0.3)) == bits(squared_deviation(all(x), 0.3)));
  }
}

TEST_CASE_TEMPLATE("kernels: identities between the reductions", Scalar, float, double) {
  const auto x = gaussian<Scalar>(777, 4);
  const auto y = gaussian<Scalar>(777, 5);
  CHECK(bits(dot(all(x), all(x))) == bits(squared_norm(all(x))));
  CHECK(squared_distance(all(x), all(x)) == 0.0);
  const double expanded = squared_norm(all(x)) + squared_norm(all(y)) - 2.0 * dot(all(x), all(y));
  CHECK(std::abs(squared_distance(all(x), all(y)) - expanded) < 1e-10);
  CHECK(squared_norm(all(std::vector<Scalar>{3, 4})) == 25.0);
  CHECK(squared_norm(all(std::vector<Scalar>(1 << 20, Scalar(1e-3)))) ==
        doctest::Approx((1 << 20) * std::pow(static_cast<double>(Scalar(1e-3)), 2)).epsilon(1e-11));
}

TEST_CASE_TEMPLATE("kernels: one Inf or NaN is found at every place", Scalar, float, double) {
  using Limits = std::numeric_limits<Scalar>;
  std::vector<Scalar> x(5000, Limits::max());
  x[7] = Limits::denorm_min();
  x[8] = -Limits::max();
  CHECK(all_finite(all(x)));
  CHECK(all_finite(all(x).first(0)));
  for (const Scalar bad :
       {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), -Limits::quiet_NaN()})
    for (std::size_t at : {0u, 1u, 15u, 16u, 4095u, 4096u, 4999u}) {
      const Scalar good = x[at];
      x[at] = bad;
      CHECK_FALSE(all_finite(all(x)));
      // As in a message, at an address without any alignment.
      const auto bytes = std::as_bytes(all(x));
      std::vector<std::byte> message(1 + bytes.size());
      std::copy(bytes.begin(), bytes.end(), message.begin() + 1);
      CHECK_FALSE(all_finite<Scalar>(std::span<const std::byte>(message).subspan(1)));
      x[at] = good;
    }
}

}  // namespace hearsay::kernels_test

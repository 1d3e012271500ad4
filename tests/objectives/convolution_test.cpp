#include "algorithms/objectives/convolution.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

#include "tests/support/models.hpp"

namespace hearsay::test::convolution_test {

namespace {

template <class Scalar>
std::span<const Scalar> pixels(const DenseRows<Scalar>& maps) {
  return {maps.data(), static_cast<std::size_t>(maps.size())};
}

template <class Scalar>
DenseRows<Scalar> random_maps(Index channels, Index side, std::uint64_t seed) {
  const Vector<Scalar> entries = random_point<Scalar>(channels * side * side, seed);
  return Eigen::Map<const DenseRows<Scalar>>(entries.data(), channels, side * side);
}

template <class Scalar>
struct Pooling {
  std::vector<Scalar> pooled;
  std::vector<std::int32_t> chosen;
};

template <class Scalar>
Pooling<Scalar> pool(const DenseRows<Scalar>& maps, Index side) {
  const auto windows = static_cast<std::size_t>(maps.size() / 4);
  Pooling<Scalar> result{std::vector<Scalar>(windows), std::vector<std::int32_t>(windows)};
  max_pool(maps, side, std::span(result.pooled), std::span(result.chosen));
  return result;
}

}  // namespace

TEST_CASE_TEMPLATE("convolution: the patches of two 3x3 maps with a 2x2 kernel are those one sees", Scalar,
                   float, double) {
  DenseRows<Scalar> maps(2, 9);
  maps << 1, 2, 3, 4, 5, 6, 7, 8, 9,  //
      10, 20, 30, 40, 50, 60, 70, 80, 90;
  DenseRows<Scalar> patches;
  gather_patches(pixels(maps), 3, 2, patches);
  DenseRows<Scalar> expected(8, 4);
  // A column is a patch: those at (0, 0), (0, 1), (1, 0), (1, 1).
  expected << 1, 2, 4, 5,  //
      2, 3, 5, 6,          //
      4, 5, 7, 8,          //
      5, 6, 8, 9,          //
      10, 20, 40, 50,      //
      20, 30, 50, 60,      //
      40, 50, 70, 80,      //
      50, 60, 80, 90;
  CHECK(patches == expected);
  // Each pixel gets as many as there are patches over it.
  DenseRows<Scalar> counts = DenseRows<Scalar>::Zero(2, 9);
  add_patches(DenseRows<Scalar>(DenseRows<Scalar>::Ones(8, 4)), 3, 2, counts);
  for (Index c = 0; c < 2; ++c)
    CHECK(counts.row(c) == Eigen::Matrix<Scalar, 1, 9>{{1, 2, 1, 2, 4, 2, 1, 2, 1}});
}

TEST_CASE("convolution: adding patches is the transpose of gathering them") {
  for (const Index side : {5, 6, 14, 32}) {
    CAPTURE(side);
    const DenseRows<double> maps = random_maps<double>(3, side, 1);
    DenseRows<double> patches;
    gather_patches(pixels(maps), side, 5, patches);
    CHECK(patches.rows() == 75);
    CHECK(patches.cols() == (side - 4) * (side - 4));
    const Vector<double> entries = random_point<double>(patches.size(), 2);
    const DenseRows<double> others =
        Eigen::Map<const DenseRows<double>>(entries.data(), patches.rows(), patches.cols());
    DenseRows<double> back = DenseRows<double>::Zero(3, side * side);
    add_patches(others, side, 5, back);
    // <P m, q> = <m, P^T q>
    CHECK(patches.cwiseProduct(others).sum() ==
          doctest::Approx(maps.cwiseProduct(back).sum()).epsilon(1e-12));
  }
}

TEST_CASE("convolution: an image lies in the middle of its frame, and the frame stays as it is") {
  DenseRows<float> maps = DenseRows<float>::Constant(2, 16, 9.0F);
  const std::vector<float> image{1, 2, 3, 4, 5, 6, 7, 8};
  copy_into_frame(std::span<const float>(image), 2, 1, maps);
  DenseRows<float> expected(2, 16);
  expected << 9, 9, 9, 9, 9, 1, 2, 9, 9, 3, 4, 9, 9, 9, 9, 9,  //
      9, 9, 9, 9, 9, 5, 6, 9, 9, 7, 8, 9, 9, 9, 9, 9;
  CHECK(maps == expected);
}

TEST_CASE_TEMPLATE("max pooling: the largest of each window, and where it was", Scalar, float, double) {
  DenseRows<Scalar> maps(2, 16);
  maps << 1, 2, 5, 0,  //
      3, 4, 0, 0,      //
      -1, -2, 0, 0,    //
      -3, -4, 6, 7,    //
      0, 0, 0, 0,      //
      0, 8, 9, 0,      //
      0, 0, 10, 0,     //
      11, 0, 0, 0;
  const auto [pooled, chosen] = pool(maps, 4);
  CHECK(pooled == std::vector<Scalar>{4, 5, -1, 7, 8, 9, 11, 10});
  CHECK(chosen == std::vector<std::int32_t>{5, 2, 8, 15, 21, 22, 28, 26});
}

TEST_CASE("max pooling: of equal pixels the first is chosen, line by line") {
  DenseRows<float> maps(1, 16);
  maps << 2, 2, 1, 2,  //
      2, 2, 2, 2,      //
      1, 1, 0, 0,      //
      2, 2, 0, 3;
  CHECK(pool(maps, 4).chosen == std::vector<std::int32_t>{0, 3, 12, 15});
  CHECK(pool(DenseRows<float>(DenseRows<float>::Zero(1, 16)), 4).chosen ==
        std::vector<std::int32_t>{0, 2, 8, 10});
}

TEST_CASE("max pooling: a pixel that is not a number is not lost") {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  for (Index at = 0; at < 4; ++at) {
    DenseRows<float> maps = DenseRows<float>::Ones(1, 4);
    maps(0, at) = nan;
    const auto [pooled, chosen] = pool(maps, 2);
    CHECK(pooled[0] != pooled[0]);
    CHECK(chosen[0] == at);
  }
}

}  // namespace hearsay::test::convolution_test

#include "algorithms/arithmetic/matrix_product.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "algorithms/arithmetic/random.hpp"
#include "tests/support/targets.hpp"

namespace hearsay::matrix_product_test {

namespace {

template <class Scalar>
DenseRows<Scalar> gaussian(Index rows, Index columns, std::uint64_t seed) {
  RandomStream random(seed, 0, 0, Purpose::data);
  DenseRows<Scalar> matrix(rows, columns);
  for (Scalar& value : matrix.reshaped()) value = static_cast<Scalar>(random.normal());
  return matrix;
}

template <class Scalar>
bool same_bits(const DenseRows<Scalar>& a, const DenseRows<Scalar>& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(Scalar)) == 0;
}

/// c += a b as documented: sums of 256 products each, in order.
template <class Scalar>
void add_in_blocks(const DenseRows<Scalar>& a, const DenseRows<Scalar>& b, DenseRows<Scalar>& c) {
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j)
      for (Index first = 0; first < a.cols(); first += 256) {
        Scalar sum{0};
        for (Index p = first; p < std::min(first + 256, a.cols()); ++p) {
          const Scalar product = a(i, p) * b(p, j);
          sum += product;
        }
        c(i, j) += sum;
      }
}

/// c += a b^T as documented: lanes of 64 bytes, folded in halves.
template <class Scalar>
void add_in_lanes(const DenseRows<Scalar>& a, const DenseRows<Scalar>& b, DenseRows<Scalar>& c) {
  constexpr std::size_t lane_count = 64 / sizeof(Scalar);
  for (Index i = 0; i < c.rows(); ++i)
    for (Index j = 0; j < c.cols(); ++j) {
      std::array<Scalar, lane_count> lanes{};
      for (Index p = 0; p < a.cols(); ++p) {
        const Scalar product = a(i, p) * b(j, p);
        lanes[static_cast<std::size_t>(p) % lane_count] += product;
      }
      for (std::size_t width = lane_count / 2; width > 0; width /= 2)
        for (std::size_t lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
      c(i, j) += lanes[0];
    }
}

struct Shape {
  Index m, n, k;
};

/// Tails of every loop: rows of a tile, columns of a panel, lanes of a sum, blocks of products.
constexpr std::array shapes{Shape{1, 1, 1},   Shape{1, 300, 5},  Shape{7, 33, 17},    Shape{6, 32, 256},
                            Shape{5, 31, 15}, Shape{13, 70, 31}, Shape{4, 9, 257},    Shape{3, 64, 700},
                            Shape{2, 3, 100}, Shape{64, 1, 48},  Shape{1, 2500, 513}, Shape{17, 1100, 40}};

}  // namespace

TEST_CASE_TEMPLATE("matrix product: every entry is the documented sum, on every instruction set", Scalar,
                   float, double) {
  const int targets = test::on_every_target([] {
    for (const Shape& shape : shapes) {
      const Index m = shape.m, n = shape.n, k = shape.k;
      CAPTURE(m);
      CAPTURE(n);
      CAPTURE(k);
      const auto start = gaussian<Scalar>(m, n, 1);
      const auto a = gaussian<Scalar>(m, k, 2);
      const auto b = gaussian<Scalar>(k, n, 3);
      DenseRows<Scalar> expected = start;
      add_in_blocks(a, b, expected);
      DenseRows<Scalar> c = start;
      add_product(a, b, c);
      REQUIRE(same_bits(c, expected));
      c = start;
      add_transpose_product(DenseRows<Scalar>(a.transpose()), b, c);
      REQUIRE(same_bits(c, expected));
      const auto other = gaussian<Scalar>(n, k, 4);
      expected = start;
      add_in_lanes(a, other, expected);
      c = start;
      add_product_with_transpose(a, other, c);
      REQUIRE(same_bits(c, expected));
    }
  });
  CHECK(targets >= 2);
}

TEST_CASE_TEMPLATE(
    "matrix product: where the matrices lie does not change a bit, and nothing beside is touched", Scalar,
    float, double) {
  const Index m = 7, n = 41, k = 19, more = 3;
  const auto a = gaussian<Scalar>(m, k, 1);
  const auto b = gaussian<Scalar>(k, n, 2);
  const auto b_transposed = DenseRows<Scalar>(b.transpose());
  DenseRows<Scalar> blocks = DenseRows<Scalar>::Zero(m, n);
  DenseRows<Scalar> dots = blocks;
  add_product(a, b, blocks);
  add_product_with_transpose(a, b_transposed, dots);
  for (Index shift = 0; shift <= more; ++shift) {
    CAPTURE(shift);
    // The matrices are parts of larger ones, whose other entries are NaN.
    const auto framed = [&](const DenseRows<Scalar>& matrix) {
      DenseRows<Scalar> frame = DenseRows<Scalar>::Constant(matrix.rows() + more, matrix.cols() + more,
                                                            std::numeric_limits<Scalar>::quiet_NaN());
      frame.block(shift, shift, matrix.rows(), matrix.cols()) = matrix;
      return frame;
    };
    const auto part = [&](auto& frame) {
      return frame.block(shift, shift, frame.rows() - more, frame.cols() - more);
    };
    const auto framed_a = framed(a), framed_b = framed(b), framed_transposed = framed(b_transposed);
    for (const bool in_lanes : {false, true}) {
      auto c = framed(DenseRows<Scalar>::Zero(m, n));
      if (in_lanes)
        add_product_with_transpose(part(framed_a), part(framed_transposed), part(c));
      else
        add_product(part(framed_a), part(framed_b), part(c));
      CHECK(same_bits(DenseRows<Scalar>(part(c)), in_lanes ? dots : blocks));
      CHECK(c.array().isNaN().count() == c.size() - m * n);
    }
  }
}

TEST_CASE_TEMPLATE("matrix product: it is the product", Scalar, float, double) {
  const auto a = gaussian<Scalar>(37, 600, 1);
  const auto b = gaussian<Scalar>(600, 53, 2);
  const DenseRows<double> exact = a.template cast<double>() * b.template cast<double>();
  DenseRows<Scalar> blocks = DenseRows<Scalar>::Zero(37, 53);
  DenseRows<Scalar> dots = blocks;
  add_product(a, b, blocks);
  add_product_with_transpose(a, DenseRows<Scalar>(b.transpose()), dots);
  // k roundings of |a| |b| (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). The exact
  // product is rounded, too.
  const DenseRows<double> bound =
      2.0 * 600.0 * static_cast<double>(std::numeric_limits<Scalar>::epsilon()) *
      (a.template cast<double>().cwiseAbs() * b.template cast<double>().cwiseAbs());
  CHECK(((blocks.template cast<double>() - exact).array().abs() <= bound.array()).all());
  CHECK(((dots.template cast<double>() - exact).array().abs() <= bound.array()).all());
}

TEST_CASE("matrix product: a NaN and an infinity stay in their row and column") {
  auto a = gaussian<float>(9, 30, 1);
  const auto b = gaussian<float>(30, 40, 2);
  a(4, 7) = std::numeric_limits<float>::quiet_NaN();
  a(6, 29) = std::numeric_limits<float>::infinity();
  for (const bool in_lanes : {false, true}) {
    DenseRows<float> c = DenseRows<float>::Zero(9, 40);
    if (in_lanes)
      add_product_with_transpose(a, DenseRows<float>(b.transpose()), c);
    else
      add_product(a, b, c);
    for (Index i = 0; i < c.rows(); ++i)
      for (Index j = 0; j < c.cols(); ++j) CHECK(std::isfinite(c(i, j)) == (i != 4 && i != 6));
    CHECK(std::isnan(c(4, 0)));
    CHECK(std::isinf(c(6, 0)));
  }
}

}  // namespace hearsay::matrix_product_test

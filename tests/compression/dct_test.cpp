#include "algorithms/compression/transforms/dct.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "algorithms/arithmetic/reductions.hpp"
#include "tests/compression/compression.hpp"
#include "tests/support/compressor_spellings.hpp"

namespace hearsay::test::dct_test {

namespace {

template <class Scalar>
std::vector<Scalar> coefficients(std::size_t chunk, const std::vector<Scalar>& z,
                                 const SegmentTable& segments = {}) {
  const auto dct =
      Dct<Scalar>::parse(parse_pipeline("dct(chunk=" + std::to_string(chunk) + ")").front(), segments);
  std::vector<Scalar> y(dct->coefficients(z.size()));
  dct->forward(z, 0, y);
  return y;
}

}  // namespace

TEST_CASE("dct: the matrix is that of the definition, and orthonormal to 1e-15, for every length") {
  for (const std::size_t n : {1u, 2u, 3u, 5u, 8u, 41u, 64u, 129u}) {
    CAPTURE(n);
    CosineBasis<double> basis(n);
    std::vector<std::vector<double>> columns;
    for (std::size_t i = 0; i < n; ++i) {
      std::vector<double> unit(n, 0.0);
      unit[i] = 1.0;
      basis.forward(unit, columns.emplace_back(n));
      for (std::size_t k = 0; k < n; ++k) {
        const double scale = std::sqrt((k == 0 ? 1.0 : 2.0) / static_cast<double>(n));
        const double angle = static_cast<double>((2 * i + 1) * k) / (2.0 * static_cast<double>(n));
        CHECK(std::abs(columns[i][k] - scale * std::cos(std::numbers::pi * angle)) < 1e-13);
      }
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        long double product = 0.0;
        for (std::size_t k = 0; k < n; ++k)
          product += static_cast<long double>(columns[i][k]) * columns[j][k];
        CHECK(std::abs(static_cast<double>(product - (i == j ? 1.0L : 0.0L))) < 1e-15);
      }
  }
}

TEST_CASE_TEMPLATE("dct: the inverse gives the vector back, to rounding, and no norm changes", Scalar, float,
                   double) {
  const double epsilon = std::numeric_limits<Scalar>::epsilon();
  for (const std::size_t chunk : {2u, 7u, 41u, 64u, 1024u})
    for (const std::size_t n : {1u, 2u, 64u, 127u, 1000u, 3000u}) {
      CAPTURE(chunk);
      CAPTURE(n);
      const auto z = gaussian<Scalar>(n, 5);
      auto y = coefficients(chunk, z);
      CHECK(std::abs(squared_norm<Scalar>(y) / squared_norm<Scalar>(z) - 1.0) < 20 * epsilon);
      std::vector<Scalar> back(n);
      Dct<Scalar>::parse(parse_pipeline("dct(chunk=" + std::to_string(chunk) + ")").front(), {})
          ->inverse(y, 0, back);
      CHECK(std::sqrt(squared_distance<Scalar>(back, z) / squared_norm<Scalar>(z)) < 20 * epsilon);
    }
}

TEST_CASE("dct: runs begin anew at every layer, and the last run of a layer is as long as what is left") {
  const auto z = gaussian<double>(100, 6);
  const auto y = coefficients(20, z, layers(100));
  for (const auto& [begin, size] :
       {std::pair{0u, 20u}, {20u, 13u}, {33u, 17u}, {50u, 20u}, {70u, 20u}, {90u, 10u}}) {
    CosineBasis<double> basis(size);
    std::vector<double> own(size);
    basis.forward(std::span(z).subspan(begin, size), own);
    CHECK(std::vector<double>(y.begin() + begin, y.begin() + begin + size) == own);
  }
}

TEST_CASE("dct: a slow wave becomes few coefficients, and chunk-topk of the same chunk keeps them") {
  std::vector<float> wave(640);
  for (std::size_t i = 0; i < wave.size(); ++i) wave[i] = std::sin(0.01f * static_cast<float>(i));
  CHECK(lost_share("dct(chunk=64) | chunk-topk(4/64)", wave) < 1e-4);
  CHECK(lost_share("chunk-topk(4/64)", wave) > 0.9);
}

TEST_CASE_TEMPLATE("dct | chunk-topk: if all is kept, only rounding is lost, and no index travels", Scalar,
                   float, double) {
  const auto z = gaussian<Scalar>(1000, 7);
  CHECK(lost_share("dct(chunk=41) | chunk-topk(41/41)", z) < 400 * std::numeric_limits<Scalar>::epsilon());
  CHECK(make_compressor<Scalar>("dct(chunk=41) | chunk-topk(41/41)", {})->traits(1000).bytes ==
        1000 * sizeof(Scalar));
}

}  // namespace hearsay::test::dct_test

#include "algorithms/methods/parts/muon.hpp"

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <cmath>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay::muon_test {

namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Rows normal_matrix(Index rows, Index columns, PeerId seed) {
  Rows matrix(rows, columns);
  RandomStream random(7, seed, 0, Purpose::data);
  for (Index k = 0; k < matrix.size(); ++k) matrix.data()[k] = random.normal();
  return matrix;
}

/// A matrix with orthonormal rows or columns, whichever are fewer.
Rows orthogonal(Index rows, Index columns, PeerId seed) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(normal_matrix(rows, columns, seed),
                                              Eigen::ComputeThinU | Eigen::ComputeThinV);
  return svd.matrixU() * svd.matrixV().transpose();
}

/// A matrix whose singular values fall from 1 to 1 / condition, each by the same factor.
Rows conditioned(Index rows, Index columns, double condition, PeerId seed) {
  const Index rank = std::min(rows, columns);
  Eigen::VectorXd values(rank);
  for (Index k = 0; k < rank; ++k)
    values[k] = std::pow(condition, -static_cast<double>(k) / static_cast<double>(rank - 1));
  return orthogonal(rows, rank, seed) * values.asDiagonal() * orthogonal(rank, columns, seed + 1);
}

Rows orthogonalised(Rows matrix, std::uint64_t iterations = 5) {
  const Segment shape{"matrix", 0, matrix.rows(), matrix.cols()};
  NewtonSchulz<double> newton_schulz(iterations, {shape});
  newton_schulz.orthogonalise({matrix.data(), static_cast<std::size_t>(matrix.size())}, shape);
  return matrix;
}

/// The polynomial of N iterations, at a singular value.
double iterated(double s, int iterations) {
  for (int k = 0; k < iterations; ++k) s = 3.4445 * s - 4.7750 * s * s * s + 2.0315 * std::pow(s, 5);
  return s;
}

/// A network of three layers: embedding, hidden, output.
const SegmentTable layers = {{"first.weights", 0, 5, 3},   {"first.biases", 15, 5},
                             {"hidden.weights", 20, 4, 5}, {"hidden.biases", 40, 4},
                             {"tall.weights", 44, 6, 4},   {"tall.biases", 68, 6},
                             {"last.weights", 74, 2, 6},   {"last.biases", 86, 2}};
constexpr Index dimension = 88;

Vector<double> normal_vector(PeerId seed) {
  const Rows matrix = normal_matrix(dimension, 1, seed);
  return Eigen::Map<const Vector<double>>(matrix.data(), dimension);
}

Eigen::Map<const Rows> part(const Vector<double>& x, const Segment& layer) {
  return {x.data() + layer.begin, layer.rows, layer.columns};
}

}  // namespace

TEST_CASE("muon: after 5 iterations singular values are between 0.68 and 1.15, if they were 100-fold apart") {
  struct Case {
    double condition, least, most;
  };
  PeerId seed = 0;
  for (const Case& of :
       {Case{2, 0.68, 1.15}, Case{10, 0.68, 1.15}, Case{100, 0.68, 1.15}, Case{1000, 0.28, 1.20}})
    for (const auto& [rows, columns] :
         {std::pair<Index, Index>{4, 4}, {16, 16}, {8, 24}, {40, 12}, {32, 33}}) {
      CAPTURE(of.condition);
      const Rows matrix = conditioned(rows, columns, of.condition, seed += 2);
      const Eigen::JacobiSVD<Eigen::MatrixXd> svd(orthogonalised(matrix));
      CHECK(svd.singularValues().minCoeff() > of.least);
      CHECK(svd.singularValues().maxCoeff() < of.most);
    }
}

TEST_CASE("muon: the singular vectors stay, the values become a polynomial of those over the norm") {
  for (const auto& [rows, columns] : {std::pair<Index, Index>{6, 6}, {5, 9}, {9, 5}, {2, 7}}) {
    const Rows matrix = normal_matrix(rows, columns, 3);
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
    for (const int iterations : {1, 2, 5}) {
      Eigen::VectorXd values = svd.singularValues() / matrix.norm();
      for (double& value : values) value = iterated(value, iterations);
      const Rows expected = svd.matrixU() * values.asDiagonal() * svd.matrixV().transpose();
      const Rows found = orthogonalised(matrix, static_cast<std::uint64_t>(iterations));
      CHECK((found - expected).cwiseAbs().maxCoeff() < 1e-12);
      const Rows of_transposed = orthogonalised(matrix.transpose(), static_cast<std::uint64_t>(iterations));
      CHECK((of_transposed - found.transpose()).cwiseAbs().maxCoeff() < 1e-13);
    }
  }
}

TEST_CASE("muon: an orthogonal matrix comes back 1.0187 times as long, if it is 32 x 32") {
  const Rows matrix = orthogonal(32, 32, 5);
  CHECK(iterated(1.0 / std::sqrt(32.0), 5) == doctest::Approx(1.0187).epsilon(1e-4));
  for (const double scale : {1.0, 1e-3, -50.0})
    CHECK(
        (orthogonalised(scale * matrix) - (scale < 0 ? -1 : 1) * iterated(1.0 / std::sqrt(32.0), 5) * matrix)
            .cwiseAbs()
            .maxCoeff() < 1e-12);
}

TEST_CASE("muon: a gradient and ten of it give the same step of the matrices") {
  const auto one = make_local_optimizer<double>("muon", dimension, layers);
  const auto ten = make_local_optimizer<double>("muon", dimension, layers);
  const Vector<double> x = normal_vector(1);
  Vector<double> step(dimension), other(dimension);
  for (PeerId t = 0; t < 4; ++t) {
    const Vector<double> g = normal_vector(t + 2);
    one->step(x, g, 0.1, step);
    ten->step(x, 10.0 * g, 0.1, other);
    for (const Segment& matrix : matrices_for_muon(layers))
      CHECK((part(step, matrix) - part(other, matrix)).cwiseAbs().maxCoeff() < 1e-14);
  }
}

TEST_CASE("muon: as it is written, matrix by matrix, and the first, the last and the vectors by adamw") {
  const auto muon = make_local_optimizer<double>("muon(0.8, 3)", dimension, layers);
  const auto adamw = make_local_optimizer<double>("adamw", dimension, layers);
  const SegmentTable matrices = matrices_for_muon(layers);
  REQUIRE(matrices == SegmentTable{layers[2], layers[4]});
  std::vector<Rows> B = {Rows::Zero(4, 5), Rows::Zero(6, 4)};
  Vector<double> x = normal_vector(1), step(dimension), expected(dimension);
  for (PeerId t = 0; t < 10; ++t) {
    const Vector<double> g = normal_vector(t + 2);
    adamw->step(x, g, 0.1, expected);
    for (std::size_t k = 0; k < matrices.size(); ++k) {
      const Rows G = part(g, matrices[k]);
      B[k] = (0.8 * B[k] + G).eval();
      const Rows M = G + 0.8 * B[k];
      Eigen::MatrixXd X = M / M.norm();
      const bool tall = X.rows() > X.cols();
      if (tall) X.transposeInPlace();
      for (int n = 0; n < 3; ++n) {
        const Eigen::MatrixXd A = X * X.transpose();
        X = (3.4445 * X + (-4.7750 * A + 2.0315 * A * A) * X).eval();
      }
      if (tall) X.transposeInPlace();
      const double longer =
          std::sqrt(std::max(1.0, static_cast<double>(G.rows()) / static_cast<double>(G.cols())));
      Eigen::Map<Rows>(expected.data() + matrices[k].begin, G.rows(), G.cols()) = -0.1 * longer * X;
    }
    muon->step(x, g, 0.1, step);
    CHECK((step - expected).cwiseAbs().maxCoeff() < 1e-13);
    x += step;
  }
}

TEST_CASE("muon: it takes the matrices between the first and the last, or all if there are no others") {
  const Segment a{"a", 0, 2, 2}, b{"b", 4, 2, 2}, c{"c", 8, 2, 2}, vector{"v", 12, 3, 1}, row{"r", 15, 1, 3};
  CHECK(matrices_for_muon({a, b, c, vector, row}) == SegmentTable{b});
  CHECK(matrices_for_muon({a, b, vector}) == SegmentTable{a, b});
  CHECK(matrices_for_muon({a}) == SegmentTable{a});
  CHECK(matrices_for_muon({vector, row}).empty());
}

TEST_CASE("muon: without matrices it is adamw, bit for bit, and with nothing else it needs none") {
  const SegmentTable vectors = {{"weights", 0, dimension}};
  const auto muon = make_local_optimizer<double>("muon", dimension, vectors);
  const auto adamw = make_local_optimizer<double>("adamw", dimension, vectors);
  const Vector<double> x = normal_vector(1);
  Vector<double> step(dimension), expected(dimension);
  for (PeerId t = 0; t < 5; ++t) {
    muon->step(x, normal_vector(t + 2), 0.1, step);
    adamw->step(x, normal_vector(t + 2), 0.1, expected);
    CHECK(step == expected);
  }
  const auto lone = make_local_optimizer<double>("muon", dimension, {{"weights", 0, 8, 11}});
  lone->step(x, normal_vector(2), 0.1, step);
  CHECK(step.allFinite());
}

TEST_CASE("muon: in float the steps are those in double, to the precision of float") {
  const auto in_float = make_local_optimizer<float>("muon", dimension, layers);
  const auto in_double = make_local_optimizer<double>("muon", dimension, layers);
  const Vector<double> x = normal_vector(1);
  Vector<float> step(dimension);
  Vector<double> expected(dimension);
  for (PeerId t = 0; t < 5; ++t) {
    const Vector<double> g = normal_vector(t + 2);
    in_float->step(x.cast<float>(), g.cast<float>(), 0.1f, step);
    in_double->step(x, g, 0.1, expected);
    CHECK((step.cast<double>() - expected).cwiseAbs().maxCoeff() < 1e-5);
  }
}

TEST_CASE("muon: a gradient that is not finite makes steps that are not, so that divergence is noticed") {
  Vector<double> g = normal_vector(1), step(dimension);
  const Segment& hidden = layers[2];
  for (const double entry : {std::nan(""), HUGE_VAL}) {
    g[hidden.begin] = entry;
    make_local_optimizer<double>("muon", dimension, layers)->step(g, g, 0.1, step);
    CHECK_FALSE(part(step, hidden).allFinite());
  }
}

}  // namespace hearsay::muon_test

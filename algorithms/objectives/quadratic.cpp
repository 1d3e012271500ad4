#include "algorithms/objectives/quadratic.hpp"

#include <Eigen/Cholesky>
#include <memory>
#include <utility>

#include "algorithms/arithmetic/matrix_product.hpp"
#include "algorithms/arithmetic/random.hpp"
#include "algorithms/arithmetic/reductions.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

using VectorD = Vector<double>;
using MatrixD = Eigen::MatrixXd;

VectorD normal_vector(RandomStream& stream, Index dimension) {
  VectorD result(dimension);
  for (double& value : result) value = stream.normal();
  return result;
}

VectorD curvatures(RandomStream& stream, Index dimension) {
  VectorD result(dimension);
  for (double& value : result) value = 0.5 + stream.uniform();
  return result;
}

/// The center c, around which the peers' centers scatter.
VectorD common_center(Index dimension, std::uint64_t seed) {
  RandomStream stream(seed, 0, 1, Purpose::data);
  return normal_vector(stream, dimension);
}

/// M <- H M H with the reflection H = I - 2 v v^T / (v^T v); M symmetric.
void reflect(MatrixD& matrix, const VectorD& v) {
  const double scale = 2.0 / squared_norm(view(v));
  const VectorD image = scale * (matrix * v);
  const VectorD side = image - (0.5 * scale * dot(view(v), view(image))) * v;
  matrix -= v * side.transpose() + side * v.transpose();
}

template <class Scalar>
Eigen::Map<const DenseRows<Scalar>> as_row(const Vector<Scalar>& x) {
  return {x.data(), 1, x.size()};
}

template <class Scalar>
Eigen::Map<DenseRows<Scalar>> as_column(Vector<Scalar>& x) {
  return {x.data(), x.size(), 1};
}

}  // namespace

template <class Scalar>
SeparableQuadratic<Scalar>::SeparableQuadratic(Vector<Scalar> curvature, Vector<Scalar> center, double l2)
    : curvature_(std::move(curvature)), center_(std::move(center)), l2_(l2) {
  ensure(curvature_.size() == center_.size(), "a quadratic's curvature and center have one dimension");
}

template <class Scalar>
double SeparableQuadratic<Scalar>::loss(const Vector<Scalar>& x) const {
  const VectorD distance = x.template cast<double>() - center_.template cast<double>();
  const VectorD slope = curvature_.template cast<double>().cwiseProduct(distance);
  return 0.5 * dot(view(slope), view(distance)) + 0.5 * l2_ * squared_norm(view(x));
}

template <class Scalar>
void SeparableQuadratic<Scalar>::gradient(const Vector<Scalar>& x, std::span<const Index> samples,
                                          Vector<Scalar>& gradient) const {
  const auto l2 = static_cast<Scalar>(l2_);
  if (samples.empty())
    gradient = l2 * x;
  else
    gradient = curvature_.cwiseProduct(x - center_) + l2 * x;
}

template <class Scalar>
DenseQuadratic<Scalar>::DenseQuadratic(Matrix curvature, Vector<Scalar> center, double l2)
    : curvature_(std::move(curvature)), center_(std::move(center)), l2_(l2) {
  ensure(curvature_.rows() == center_.size() && curvature_.cols() == center_.size(),
         "a quadratic's curvature is d x d and its center has size d");
}

template <class Scalar>
double DenseQuadratic<Scalar>::loss(const Vector<Scalar>& x) const {
  const VectorD distance = x.template cast<double>() - center_.template cast<double>();
  VectorD slope(distance.size());
  VectorD row(distance.size());
  for (Index k = 0; k < distance.size(); ++k) {
    row = curvature_.row(k).template cast<double>();
    slope[k] = dot(view(std::as_const(row)), view(distance));
  }
  return 0.5 * dot(view(std::as_const(slope)), view(distance)) + 0.5 * l2_ * squared_norm(view(x));
}

template <class Scalar>
void DenseQuadratic<Scalar>::gradient(const Vector<Scalar>& x, std::span<const Index> samples,
                                      Vector<Scalar>& gradient) const {
  gradient = static_cast<Scalar>(l2_) * x;
  if (samples.empty()) return;
  const Vector<Scalar> distance = x - center_;
  add_product_with_transpose(curvature_, as_row(distance), as_column(gradient));
}

template <class Scalar>
Problem<Scalar> separable_quadratics(Index dimension, std::size_t peers, double l2, std::uint64_t seed) {
  ensure(dimension >= 1 && peers >= 1, "a quadratic problem has at least one dimension and one peer");
  const VectorD common = common_center(dimension, seed);
  VectorD pooled_curvature = VectorD::Constant(dimension, static_cast<double>(peers) * l2);
  VectorD pull = VectorD::Zero(dimension);
  Problem<Scalar> problem;
  problem.least_loss = 0.0;
  for (std::size_t i = 0; i < peers; ++i) {
    RandomStream stream(seed, static_cast<PeerId>(i), 0, Purpose::data);
    Vector<Scalar> curvature = curvatures(stream, dimension).template cast<Scalar>();
    Vector<Scalar> center = (common + normal_vector(stream, dimension)).template cast<Scalar>();
    // The minimiser is that of the rounded values, since they define the problem.
    pooled_curvature += curvature.template cast<double>();
    pull += curvature.template cast<double>().cwiseProduct(center.template cast<double>());
    problem.objectives.push_back(
        std::make_unique<SeparableQuadratic<Scalar>>(std::move(curvature), std::move(center), l2));
  }
  problem.initial = Vector<Scalar>::Zero(dimension);
  problem.minimiser = pull.cwiseQuotient(pooled_curvature).template cast<Scalar>();
  return problem;
}

template <class Scalar>
Problem<Scalar> dense_quadratics(Index dimension, std::size_t peers, double l2, std::uint64_t seed) {
  ensure(dimension >= 1 && peers >= 1, "a quadratic problem has at least one dimension and one peer");
  using Matrix = typename DenseQuadratic<Scalar>::Matrix;
  const VectorD common = common_center(dimension, seed);
  MatrixD pooled_curvature = static_cast<double>(peers) * l2 * MatrixD::Identity(dimension, dimension);
  VectorD pull = VectorD::Zero(dimension);
  Problem<Scalar> problem;
  problem.least_loss = 0.0;
  for (std::size_t i = 0; i < peers; ++i) {
    RandomStream stream(seed, static_cast<PeerId>(i), 0, Purpose::data);
    MatrixD rotated = curvatures(stream, dimension).asDiagonal();
    Vector<Scalar> center = (common + normal_vector(stream, dimension)).template cast<Scalar>();
    for (int reflection = 0; reflection < 2; ++reflection) reflect(rotated, normal_vector(stream, dimension));
    // Rounding to Scalar must leave the matrix symmetric: the upper half is copied from the lower.
    rotated.template triangularView<Eigen::StrictlyUpper>() = rotated.transpose();
    Matrix curvature = rotated.template cast<Scalar>();
    pooled_curvature += curvature.template cast<double>();
    pull += curvature.template cast<double>() * center.template cast<double>();
    problem.objectives.push_back(
        std::make_unique<DenseQuadratic<Scalar>>(std::move(curvature), std::move(center), l2));
  }
  problem.initial = Vector<Scalar>::Zero(dimension);
  problem.minimiser = VectorD(pooled_curvature.llt().solve(pull)).template cast<Scalar>();
  return problem;
}

template class SeparableQuadratic<float>;
template class SeparableQuadratic<double>;
template class DenseQuadratic<float>;
template class DenseQuadratic<double>;
template Problem<float> separable_quadratics<float>(Index, std::size_t, double, std::uint64_t);
template Problem<double> separable_quadratics<double>(Index, std::size_t, double, std::uint64_t);
template Problem<float> dense_quadratics<float>(Index, std::size_t, double, std::uint64_t);
template Problem<double> dense_quadratics<double>(Index, std::size_t, double, std::uint64_t);

namespace {

/// A quadratic of a matrix: the same function, whose d = rows x columns parameters are one layer.
template <class Scalar>
class OfMatrix final : public Objective<Scalar> {
 public:
  OfMatrix(std::unique_ptr<const Objective<Scalar>> quadratic, Index rows, Index columns)
      : quadratic_(std::move(quadratic)), layer_{"matrix", 0, rows, columns} {}

  Index dimension() const override { return quadratic_->dimension(); }
  Index sample_count() const override { return quadratic_->sample_count(); }
  SegmentTable segments() const override { return {layer_}; }
  double loss(const Vector<Scalar>& x) const override { return quadratic_->loss(x); }
  void gradient(const Vector<Scalar>& x, std::span<const Index> samples,
                Vector<Scalar>& gradient) const override {
    quadratic_->gradient(x, samples, gradient);
  }

 private:
  std::unique_ptr<const Objective<Scalar>> quadratic_;
  Segment layer_;
};

/// Returns the dimension, or the rows and columns of "64x32".
ModelShape read_dimension(const std::string& text, std::vector<std::string> arguments) {
  const bool dense = arguments.size() == 2 && arguments[1] == "dense";
  if (dense) arguments.pop_back();
  if (arguments.size() != 1)
    throw Misuse(
        "model.kind", text,
        "expected quadratic(100), quadratic(100, dense), quadratic(64x32) or quadratic(64x32, dense)");
  if (const std::size_t times = arguments[0].find('x'); times != std::string::npos) {
    arguments.push_back(arguments[0].substr(times + 1));
    arguments[0].resize(times);
  }
  const std::vector<Index> sizes = model_sizes(text, arguments);
  if (sizes.size() == 2 && sizes.back() > largest_dimension / sizes.front())
    throw Misuse("model.kind", text, "expected at most " + std::to_string(largest_dimension) + " parameters");
  if (dense && sizes.front() * (sizes.size() == 2 ? sizes.back() : 1) > 20'000)
    throw Misuse("model.kind", text, "a dense quadratic has at most 20000 dimensions");
  return {sizes, dense};
}

double dimension_of(const ModelShape& shape) {
  return static_cast<double>(shape.sizes[0]) *
         static_cast<double>(shape.sizes.size() == 2 ? shape.sizes[1] : Index{1});
}

/// What the peers keep; and what is needed beside it, in double, while one of them is made.
double memory_of(const ModelShape& shape, double peers, double bytes_of_scalar) {
  const double d = dimension_of(shape);
  const double curvature = shape.dense ? d * d : d;
  return peers * (curvature + d) * bytes_of_scalar + (2.0 * curvature + 3.0 * d) * sizeof(double);
}

template <class Scalar>
Problem<Scalar> make_quadratics(const ModelShape& shape, std::size_t peers, double l2, std::uint64_t seed) {
  const bool is_matrix = shape.sizes.size() == 2;
  const Index d = is_matrix ? shape.sizes[0] * shape.sizes[1] : shape.sizes[0];
  Problem<Scalar> problem = shape.dense ? dense_quadratics<Scalar>(d, peers, l2, seed)
                                        : separable_quadratics<Scalar>(d, peers, l2, seed);
  if (is_matrix)
    for (auto& objective : problem.objectives)
      objective = std::make_unique<OfMatrix<Scalar>>(std::move(objective), shape.sizes[0], shape.sizes[1]);
  return problem;
}

}  // namespace

ModelInfo quadratic_info() {
  return {.name = "quadratic",
          .arguments = "(d) or (d, dense) or (AxB)",
          .description =
              "no data: a seeded quadratic per peer, separable or with a full matrix, and a known minimiser; "
              "AxB: the parameters are a matrix",
          .parameters = "d",
          .examples = {"quadratic(12)", "quadratic(12, dense)", "quadratic(4x3)"},
          .read = read_dimension,
          .make = SeededModel{make_quadratics<float>, make_quadratics<double>, dimension_of, memory_of}};
}

}  // namespace hearsay

#include "algorithms/objectives/quadratic.hpp"

#include <Eigen/Cholesky>
#include <memory>
#include <utility>
#include <vector>

#include "algorithms/arithmetic/matrix_product.hpp"
#include "algorithms/arithmetic/random.hpp"
#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/objectives/drawn_objective.hpp"
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

double curvature_from(RandomStream& stream) { return 0.5 + stream.uniform(); }

/// The random numbers of peer i's function.
RandomStream stream_of(std::uint64_t seed, std::size_t i) {
  return {seed, static_cast<PeerId>(i), 0, Purpose::data};
}

/// Those of the center c, around which the peers' centers scatter.
RandomStream common_stream(std::uint64_t seed) { return {seed, 0, 1, Purpose::data}; }

VectorD common_center(Index dimension, std::uint64_t seed) {
  RandomStream stream = common_stream(seed);
  return normal_vector(stream, dimension);
}

/// Draws peer i's function. `next_common` returns the coordinates of c in turn: those that have been drawn
/// for all peers, or draws for this one, which needs no memory.
template <class Scalar, class NextCommon>
std::unique_ptr<const SeparableQuadratic<Scalar>> drawn_separable(Index dimension, std::size_t i, double l2,
                                                                  std::uint64_t seed,
                                                                  NextCommon next_common) {
  RandomStream stream = stream_of(seed, i);
  Vector<Scalar> curvature(dimension);
  Vector<Scalar> center(dimension);
  for (Scalar& value : curvature) value = static_cast<Scalar>(curvature_from(stream));
  for (Scalar& value : center) value = static_cast<Scalar>(next_common() + stream.normal());
  return std::make_unique<SeparableQuadratic<Scalar>>(std::move(curvature), std::move(center), l2);
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
  return 0.5 * weighted_squared_distance(view(curvature_), view(x), view(center_)) +
         0.5 * l2_ * squared_norm(view(x));
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
std::unique_ptr<const Objective<Scalar>> separable_quadratic(Index dimension, std::size_t i, double l2,
                                                             std::uint64_t seed) {
  RandomStream common = common_stream(seed);
  return drawn_separable<Scalar>(dimension, i, l2, seed, [&common] { return common.normal(); });
}

template <class Scalar>
Problem<Scalar> separable_quadratics(Index dimension, std::size_t peers, double l2, std::uint64_t seed,
                                     const EachPeer& each_peer) {
  ensure(dimension >= 1 && peers >= 1, "a quadratic problem has at least one dimension and one peer");
  const VectorD common = common_center(dimension, seed);
  std::vector<std::unique_ptr<const SeparableQuadratic<Scalar>>> quadratics(peers);
  each_peer(peers, [&](std::size_t i) {
    quadratics[i] =
        drawn_separable<Scalar>(dimension, i, l2, seed, [&, k = Index{0}]() mutable { return common[k++]; });
  });
  VectorD pooled_curvature = VectorD::Constant(dimension, static_cast<double>(peers) * l2);
  VectorD pull = VectorD::Zero(dimension);
  Problem<Scalar> problem;
  problem.least_loss = 0.0;
  for (auto& quadratic : quadratics) {
    // The minimiser is that of the rounded values, since they define the problem.
    pooled_curvature += quadratic->curvature().template cast<double>();
    pull += quadratic->curvature().template cast<double>().cwiseProduct(
        quadratic->center().template cast<double>());
    problem.objectives.push_back(std::move(quadratic));
  }
  problem.initial = Vector<Scalar>::Zero(dimension);
  problem.minimiser = pull.cwiseQuotient(pooled_curvature).template cast<Scalar>();
  return problem;
}

namespace {

template <class Scalar>
std::unique_ptr<const DenseQuadratic<Scalar>> drawn_dense(const VectorD& common, std::size_t i, double l2,
                                                          std::uint64_t seed) {
  const Index dimension = common.size();
  RandomStream stream = stream_of(seed, i);
  VectorD eigenvalues(dimension);
  for (double& value : eigenvalues) value = curvature_from(stream);
  MatrixD rotated = eigenvalues.asDiagonal();
  Vector<Scalar> center = (common + normal_vector(stream, dimension)).template cast<Scalar>();
  for (int reflection = 0; reflection < 2; ++reflection) reflect(rotated, normal_vector(stream, dimension));
  // Rounding to Scalar must leave the matrix symmetric: the upper half is copied from the lower.
  rotated.template triangularView<Eigen::StrictlyUpper>() = rotated.transpose();
  typename DenseQuadratic<Scalar>::Matrix curvature = rotated.template cast<Scalar>();
  return std::make_unique<DenseQuadratic<Scalar>>(std::move(curvature), std::move(center), l2);
}

}  // namespace

template <class Scalar>
std::unique_ptr<const Objective<Scalar>> dense_quadratic(Index dimension, std::size_t i, double l2,
                                                         std::uint64_t seed) {
  return drawn_dense<Scalar>(common_center(dimension, seed), i, l2, seed);
}

template <class Scalar>
Problem<Scalar> dense_quadratics(Index dimension, std::size_t peers, double l2, std::uint64_t seed) {
  ensure(dimension >= 1 && peers >= 1, "a quadratic problem has at least one dimension and one peer");
  const VectorD common = common_center(dimension, seed);
  MatrixD pooled_curvature = static_cast<double>(peers) * l2 * MatrixD::Identity(dimension, dimension);
  VectorD pull = VectorD::Zero(dimension);
  Problem<Scalar> problem;
  problem.least_loss = 0.0;
  for (std::size_t i = 0; i < peers; ++i) {
    auto quadratic = drawn_dense<Scalar>(common, i, l2, seed);
    pooled_curvature += quadratic->curvature().template cast<double>();
    pull += quadratic->curvature().template cast<double>() * quadratic->center().template cast<double>();
    problem.objectives.push_back(std::move(quadratic));
  }
  problem.initial = Vector<Scalar>::Zero(dimension);
  problem.minimiser = VectorD(pooled_curvature.llt().solve(pull)).template cast<Scalar>();
  return problem;
}

template class SeparableQuadratic<float>;
template class SeparableQuadratic<double>;
template class DenseQuadratic<float>;
template class DenseQuadratic<double>;
template std::unique_ptr<const Objective<float>> separable_quadratic<float>(Index, std::size_t, double,
                                                                            std::uint64_t);
template std::unique_ptr<const Objective<double>> separable_quadratic<double>(Index, std::size_t, double,
                                                                              std::uint64_t);
template std::unique_ptr<const Objective<float>> dense_quadratic<float>(Index, std::size_t, double,
                                                                        std::uint64_t);
template std::unique_ptr<const Objective<double>> dense_quadratic<double>(Index, std::size_t, double,
                                                                          std::uint64_t);
template Problem<float> separable_quadratics(Index, std::size_t, double, std::uint64_t, const EachPeer&);
template Problem<double> separable_quadratics(Index, std::size_t, double, std::uint64_t, const EachPeer&);
template Problem<float> dense_quadratics(Index, std::size_t, double, std::uint64_t);
template Problem<double> dense_quadratics(Index, std::size_t, double, std::uint64_t);

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

bool is_matrix(const ModelShape& shape) { return shape.sizes.size() == 2; }

Index parameters_of(const ModelShape& shape) {
  return is_matrix(shape) ? shape.sizes[0] * shape.sizes[1] : shape.sizes[0];
}

double dimension_of(const ModelShape& shape) { return static_cast<double>(parameters_of(shape)); }

/// What the peers keep; and what is needed beside it, in double, while one of them is made.
double memory_of(const ModelShape& shape, double peers, double bytes_of_scalar) {
  const double d = dimension_of(shape);
  const double curvature = shape.dense ? d * d : d;
  return peers * (curvature + d) * bytes_of_scalar + (2.0 * curvature + 3.0 * d) * sizeof(double);
}

template <class Scalar>
std::unique_ptr<const Objective<Scalar>> make_quadratic(const ModelShape& shape, std::size_t i, double l2,
                                                        std::uint64_t seed) {
  const Index d = parameters_of(shape);
  auto quadratic =
      shape.dense ? dense_quadratic<Scalar>(d, i, l2, seed) : separable_quadratic<Scalar>(d, i, l2, seed);
  if (!is_matrix(shape)) return quadratic;
  return std::make_unique<OfMatrix<Scalar>>(std::move(quadratic), shape.sizes[0], shape.sizes[1]);
}

/// What the objectives of all peers may come to, in a process that evaluates them, to be drawn once.
constexpr double bytes_of_few = 96e6;

/// The problem whose objectives are drawn later. Its minimiser would take all of them.
template <class Scalar>
Problem<Scalar> quadratics_to_draw(const ModelShape& shape, std::size_t peers, double l2,
                                   std::uint64_t seed) {
  const Segment layer = is_matrix(shape) ? Segment{"matrix", 0, shape.sizes[0], shape.sizes[1]}
                                         : Segment{"parameters", 0, parameters_of(shape)};
  const bool are_few = memory_of(shape, static_cast<double>(peers), sizeof(Scalar)) <= bytes_of_few;
  Problem<Scalar> problem;
  problem.least_loss = 0.0;
  for (std::size_t i = 0; i < peers; ++i)
    problem.objectives.push_back(std::make_unique<DrawnObjective<Scalar>>(
        SegmentTable{layer}, 1, are_few, [=] { return make_quadratic<Scalar>(shape, i, l2, seed); }));
  problem.initial = Vector<Scalar>::Zero(parameters_of(shape));
  return problem;
}

template <class Scalar>
Problem<Scalar> make_quadratics(const ModelShape& shape, std::size_t peers, double l2, std::uint64_t seed,
                                Drawn drawn, const EachPeer& each_peer) {
  if (drawn == Drawn::later) return quadratics_to_draw<Scalar>(shape, peers, l2, seed);
  const Index d = parameters_of(shape);
  Problem<Scalar> problem = shape.dense ? dense_quadratics<Scalar>(d, peers, l2, seed)
                                        : separable_quadratics<Scalar>(d, peers, l2, seed, each_peer);
  if (is_matrix(shape))
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

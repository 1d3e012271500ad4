#include "tools/examples/layer_parallel/stage_objective.hpp"

#include <cmath>
#include <numeric>
#include <utility>

namespace hearsay::layer_parallel {

namespace {

template <class Scalar>
const DenseRows<Scalar>& dense(const Samples<Scalar>& samples) {
  return std::get<DenseRows<Scalar>>(samples.features);
}

/// A vector of samples x width entries in z, as a matrix.
template <class Scalar>
Eigen::Map<const DenseRows<Scalar>> rows_at(const Stages& stages, const Vector<Scalar>& z, Index begin) {
  return {z.data() + begin, stages.samples(), stages.shape().width};
}
template <class Scalar>
Eigen::Map<DenseRows<Scalar>> rows_at(const Stages& stages, Vector<Scalar>& z, Index begin) {
  return {z.data() + begin, stages.samples(), stages.shape().width};
}

template <class Scalar, class Rows>
DenseRows<Scalar> gathered(const Rows& rows, std::span<const Index> samples) {
  DenseRows<Scalar> result(static_cast<Index>(samples.size()), rows.cols());
  for (std::size_t s = 0; s < samples.size(); ++s) result.row(static_cast<Index>(s)) = rows.row(samples[s]);
  return result;
}

std::vector<Index> all_of(Index count) {
  std::vector<Index> samples(static_cast<std::size_t>(count));
  std::iota(samples.begin(), samples.end(), Index{0});
  return samples;
}

}  // namespace

template <class Scalar>
StageObjective<Scalar>::StageObjective(std::shared_ptr<const Stages> stages,
                                       std::shared_ptr<const Samples<Scalar>> samples, PeerId stage)
    : stages_(std::move(stages)), samples_(std::move(samples)), stage_(stage) {}

template <class Scalar>
DenseRows<Scalar> StageObjective<Scalar>::entering(const Vector<Scalar>& z,
                                                   std::span<const Index> samples) const {
  if (stage_ == 0) return gathered<Scalar>(dense(*samples_), samples);
  return gathered<Scalar>(rows_at(*stages_, z, stages_->state(stage_)), samples);
}

template <class Scalar>
double StageObjective<Scalar>::loss(const Vector<Scalar>& z) const {
  const auto count = static_cast<double>(stages_->count());
  const DenseRows<Scalar> out =
      Pass<Scalar>(*stages_, stage_).forward(z, entering(z, all_of(sample_count())));
  if (is_last())
    return count / static_cast<double>(sample_count()) * cross_entropy<Scalar>(out, samples_->targets);
  const auto state = rows_at(*stages_, z, stages_->state(stage_ + 1));
  const auto adjoint = rows_at(*stages_, z, stages_->adjoint(stage_ + 1));
  return count *
         (adjoint.template cast<double>().array() * (out - state).template cast<double>().array()).sum();
}

template <class Scalar>
void StageObjective<Scalar>::gradient(const Vector<Scalar>& z, std::span<const Index> samples,
                                      Vector<Scalar>& gradient) const {
  gradient.setZero();
  if (samples.empty()) return;
  const auto count = static_cast<Scalar>(stages_->count());
  const auto share = static_cast<Scalar>(sample_count()) / static_cast<Scalar>(samples.size());
  Pass<Scalar> pass(*stages_, stage_);
  DenseRows<Scalar> slopes = pass.forward(z, entering(z, samples));

  if (is_last()) {
    std::vector<Scalar> targets;
    for (const Index s : samples) targets.push_back(samples_->targets[static_cast<std::size_t>(s)]);
    differentiate_cross_entropy<Scalar>(slopes, targets);
    slopes *= count / static_cast<Scalar>(samples.size());
  } else {
    const auto state = rows_at(*stages_, z, stages_->state(stage_ + 1));
    const auto adjoint = rows_at(*stages_, z, stages_->adjoint(stage_ + 1));
    auto by_state = rows_at(*stages_, gradient, stages_->state(stage_ + 1));
    auto by_adjoint = rows_at(*stages_, gradient, stages_->adjoint(stage_ + 1));
    for (std::size_t k = 0; k < samples.size(); ++k) {
      const Index s = samples[k];
      by_adjoint.row(s) += count * share * (slopes.row(static_cast<Index>(k)) - state.row(s));
      by_state.row(s) -= count * share * adjoint.row(s);
    }
    slopes = count * share * gathered<Scalar>(adjoint, samples);
    if ((slopes.array() == 0).all()) return;
  }

  pass.backward(z, slopes, gradient);
  if (stage_ == 0) return;
  auto by_entry = rows_at(*stages_, gradient, stages_->state(stage_));
  for (std::size_t k = 0; k < samples.size(); ++k)
    by_entry.row(samples[k]) += slopes.row(static_cast<Index>(k));
}

template <class Scalar>
WholeNetwork<Scalar>::WholeNetwork(const Shape& shape, std::shared_ptr<const Samples<Scalar>> samples)
    : stages_(shape, 1, samples->count()), samples_(std::move(samples)) {
  if (!std::holds_alternative<DenseRows<Scalar>>(samples_->features) || samples_->class_count < 2)
    throw Misuse("data.source", "...", "a residual network takes dense samples with classes");
}

template <class Scalar>
DenseRows<Scalar> WholeNetwork<Scalar>::outputs(const Vector<Scalar>& z) const {
  return Pass<Scalar>(stages_, 0).forward(z, dense(*samples_));
}

template <class Scalar>
double WholeNetwork<Scalar>::loss(const Vector<Scalar>& z) const {
  return cross_entropy<Scalar>(outputs(z), samples_->targets) / static_cast<double>(samples_->count());
}

template <class Scalar>
double WholeNetwork<Scalar>::accuracy(const Vector<Scalar>& z) const {
  const DenseRows<Scalar> scores = outputs(z);
  Index hits = 0;
  for (Index s = 0; s < scores.rows(); ++s) {
    Index largest = 0;
    scores.row(s).maxCoeff(&largest);
    if (static_cast<Scalar>(largest) == samples_->targets[static_cast<std::size_t>(s)]) ++hits;
  }
  return static_cast<double>(hits) / static_cast<double>(scores.rows());
}

template <class Scalar>
double violation(const Stages& stages, const Samples<Scalar>& samples, const Vector<Scalar>& z) {
  double differences = 0.0;
  double sizes = 0.0;
  for (PeerId k = 1; k < stages.count(); ++k) {
    DenseRows<Scalar> in = dense(samples);
    if (k > 1) in = rows_at(stages, z, stages.state(k - 1));
    const DenseRows<Scalar> out = Pass<Scalar>(stages, k - 1).forward(z, std::move(in));
    differences += (out - rows_at(stages, z, stages.state(k))).template cast<double>().squaredNorm();
    sizes += out.template cast<double>().squaredNorm();
  }
  return sizes == 0.0 ? 0.0 : std::sqrt(differences / sizes);
}

template <class Scalar>
Problem<Scalar> staged_problem(std::shared_ptr<const Stages> stages,
                               std::shared_ptr<const Samples<Scalar>> samples,
                               std::shared_ptr<const Samples<Scalar>> judged, bool judged_are_test,
                               std::uint64_t seed) {
  Problem<Scalar> problem;
  problem.initial = stages->initial<Scalar>(seed);
  for (PeerId k = 0; k < stages->count(); ++k)
    problem.objectives.push_back(std::make_unique<StageObjective<Scalar>>(stages, samples, k));
  const auto network = std::make_shared<WholeNetwork<Scalar>>(stages->shape(), judged);
  problem.accuracy = [network](const Vector<Scalar>& z) { return network->accuracy(z); };
  problem.judged = {.are_test = judged_are_test, .count = static_cast<std::uint64_t>(judged->count())};
  return problem;
}

#define HEARSAY_STAGED(Scalar)                                                                     \
  template class StageObjective<Scalar>;                                                           \
  template class WholeNetwork<Scalar>;                                                             \
  template double violation<Scalar>(const Stages&, const Samples<Scalar>&, const Vector<Scalar>&); \
  template Problem<Scalar> staged_problem<Scalar>(                                                 \
      std::shared_ptr<const Stages>, std::shared_ptr<const Samples<Scalar>>,                       \
      std::shared_ptr<const Samples<Scalar>>, bool, std::uint64_t);
HEARSAY_STAGED(float)
HEARSAY_STAGED(double)
#undef HEARSAY_STAGED

}  // namespace hearsay::layer_parallel

#include "algorithms/objectives/sample_objective.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/arithmetic/reductions.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

template <class Scalar>
Index predicted_class(const DenseRows<Scalar>& outputs, Index row) {
  if (outputs.cols() == 1) return outputs(row, 0) > Scalar{0} ? 1 : 0;
  Index best = 0;
  for (Index k = 1; k < outputs.cols(); ++k)
    if (outputs(row, k) > outputs(row, best)) best = k;
  return best;
}

}  // namespace

template <class Scalar>
SampleObjective<Scalar>::SampleObjective(Shard<Scalar> shard, double weight, double l2)
    : shard_(std::move(shard)), weight_(weight), l2_(l2) {
  ensure(shard_.samples != nullptr, "a shard belongs to a table of samples");
}

template <class Scalar>
double SampleObjective<Scalar>::loss(const Vector<Scalar>& x) const {
  ensure(x.size() == this->dimension(), "a model has the objective's dimension");
  double sum = 0.0;
  DenseRows<Scalar> outputs;
  for_each_block(shard_, [&](const SampleBlock<Scalar>& block) {
    compute_outputs(x, block, outputs);
    sum += output_loss(outputs, block.targets());
  });
  return weight_ * sum + 0.5 * l2_ * squared_norm(view(x));
}

template <class Scalar>
void SampleObjective<Scalar>::gradient(const Vector<Scalar>& x, std::span<const Index> samples,
                                       Vector<Scalar>& gradient) const {
  ensure(x.size() == this->dimension() && gradient.size() == x.size() && &x != &gradient,
         "a gradient is a vector of its own with the objective's dimension");
  const auto l2 = static_cast<Scalar>(l2_);
  if (samples.empty()) {
    gradient = l2 * x;
    return;
  }
  gradient.setZero();
  for_each_block(shard_, samples,
                 [&](const SampleBlock<Scalar>& block) { add_gradient(x, block, gradient); });
  const double per_sample =
      weight_ * static_cast<double>(sample_count()) / static_cast<double>(samples.size());
  gradient = static_cast<Scalar>(per_sample) * gradient + l2 * x;
}

template <class Scalar>
std::vector<double> SampleObjective<Scalar>::sample_losses(const Vector<Scalar>& x,
                                                           std::span<const Index> samples) const {
  std::vector<double> losses;
  DenseRows<Scalar> outputs;
  SampleBlock<Scalar> block(*shard_.samples);
  for (const Index sample : samples) {
    block.load({&shard_.rows[static_cast<std::size_t>(sample)], 1});
    compute_outputs(x, block, outputs);
    losses.push_back(output_loss(outputs, block.targets()));
  }
  return losses;
}

template <class Scalar>
void SampleObjective<Scalar>::sample_gradients(const Vector<Scalar>& x, std::span<const Index> samples,
                                               DenseRows<Scalar>& gradients) const {
  gradients.resize(static_cast<Index>(samples.size()), this->dimension());
  SampleBlock<Scalar> block(*shard_.samples);
  Vector<Scalar> gradient(this->dimension());
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const Index row = shard_.rows[static_cast<std::size_t>(samples[k])];
    block.load({&row, 1});
    gradient.setZero();
    add_gradient(x, block, gradient);
    gradients.row(static_cast<Index>(k)) = gradient.transpose();
  }
}

template <class Scalar>
Vector<Scalar> SampleObjective<Scalar>::summed_gradient(const Vector<Scalar>& x) const {
  Vector<Scalar> sum = Vector<Scalar>::Zero(this->dimension());
  for_each_block(shard_, [&](const SampleBlock<Scalar>& block) { add_gradient(x, block, sum); });
  return sum;
}

template <class Scalar>
void SampleObjective<Scalar>::gradient_products(const Vector<Scalar>& x, std::span<const Index> samples,
                                                const DenseRows<Scalar>& directions,
                                                DenseRows<double>& products, Vector<double>& squares) const {
  constexpr std::size_t at_once = 32;
  products.resize(static_cast<Index>(samples.size()), directions.rows());
  squares.resize(static_cast<Index>(samples.size()));
  DenseRows<Scalar> gradients;
  for (std::size_t begin = 0; begin < samples.size(); begin += at_once) {
    sample_gradients(x, samples.subspan(begin, std::min(at_once, samples.size() - begin)), gradients);
    const auto first = static_cast<Index>(begin);
    products.middleRows(first, gradients.rows()) =
        (gradients * directions.transpose()).template cast<double>();
    squares.segment(first, gradients.rows()) = gradients.template cast<double>().rowwise().squaredNorm();
  }
}

template <class Scalar>
double SampleObjective<Scalar>::accuracy(const Vector<Scalar>& x) const {
  ensure(shard_.samples->class_count > 0 && sample_count() > 0, "accuracy is a share of classified samples");
  Index correct = 0;
  DenseRows<Scalar> outputs;
  for_each_block(shard_, [&](const SampleBlock<Scalar>& block) {
    compute_outputs(x, block, outputs);
    for (Index r = 0; r < block.count(); ++r)
      if (predicted_class(outputs, r) == static_cast<Index>(block.targets()[static_cast<std::size_t>(r)]))
        ++correct;
  });
  return static_cast<double>(correct) / static_cast<double>(sample_count());
}

template class SampleObjective<float>;
template class SampleObjective<double>;

}  // namespace hearsay

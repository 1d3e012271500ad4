#include "algorithms/objectives/linear_objective.hpp"

#include <utility>

namespace hearsay {

template <class Scalar>
LinearObjective<Scalar>::LinearObjective(Shard<Scalar> shard, Index output_count, double weight, double l2)
    : SampleObjective<Scalar>(std::move(shard), weight, l2), output_count_(output_count) {}

template <class Scalar>
void LinearObjective<Scalar>::compute_outputs(const Vector<Scalar>& x, const SampleBlock<Scalar>& block,
                                              DenseRows<Scalar>& outputs) const {
  block.multiply({x.data(), output_count_, this->feature_count()}, outputs);
}

template <class Scalar>
void LinearObjective<Scalar>::add_gradient(const Vector<Scalar>& x, const SampleBlock<Scalar>& block,
                                           Vector<Scalar>& gradient) const {
  DenseRows<Scalar> residuals;
  compute_outputs(x, block, residuals);
  differentiate(residuals, block.targets());
  block.add_product(residuals, {gradient.data(), output_count_, this->feature_count()});
}

template class LinearObjective<float>;
template class LinearObjective<double>;

}  // namespace hearsay

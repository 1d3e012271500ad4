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

template <class Scalar>
void LinearObjective<Scalar>::gradient_products(const Vector<Scalar>& x, std::span<const Index> samples,
                                                const DenseRows<Scalar>& directions,
                                                DenseRows<double>& products, Vector<double>& squares) const {
  products.resize(static_cast<Index>(samples.size()), directions.rows());
  squares.resize(static_cast<Index>(samples.size()));
  DenseRows<Scalar> residuals;
  DenseRows<Scalar> images;
  Vector<Scalar> features(this->feature_count());
  Index first = 0;
  for_each_block(this->shard(), samples, [&](const SampleBlock<Scalar>& block) {
    compute_outputs(x, block, residuals);
    differentiate(residuals, block.targets());
    const DenseRows<double> slopes = residuals.template cast<double>();
    for (Index c = 0; c < directions.rows(); ++c) {
      block.multiply({directions.row(c).data(), output_count_, this->feature_count()}, images);
      products.col(c).segment(first, block.count()) =
          slopes.cwiseProduct(images.template cast<double>()).rowwise().sum();
    }
    for (Index r = 0; r < block.count(); ++r) {
      block.copy_row(r, {features.data(), static_cast<std::size_t>(features.size())});
      squares[first + r] = slopes.row(r).squaredNorm() * features.template cast<double>().squaredNorm();
    }
    first += block.count();
  });
}

template class LinearObjective<float>;
template class LinearObjective<double>;

}  // namespace hearsay

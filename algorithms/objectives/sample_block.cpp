#include "algorithms/objectives/sample_block.hpp"

#include "algorithms/arithmetic/matrix_product.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

/// Bounds of the scratch: enough rows to make a matrix product efficient, few enough to stay in the cache.
constexpr Index most_rows = 1024;
constexpr Index fewest_rows = 32;
constexpr Index scratch_bytes = Index{4} << 20;

bool consecutive(std::span<const Index> rows) {
  for (std::size_t r = 1; r < rows.size(); ++r)
    if (rows[r] != rows[r - 1] + 1) return false;
  return true;
}

}  // namespace

template <class Scalar>
SampleBlock<Scalar>::SampleBlock(const Samples<Scalar>& samples) : samples_(&samples) {
  const Index row_bytes = std::max<Index>(1, samples.feature_count()) * static_cast<Index>(sizeof(Scalar));
  capacity_ = std::clamp(scratch_bytes / row_bytes, fewest_rows, most_rows);
}

template <class Scalar>
void SampleBlock<Scalar>::load(std::span<const Index> rows) {
  ensure(!rows.empty() && static_cast<Index>(rows.size()) <= capacity_,
         "a block of samples is neither empty nor beyond its capacity");
  rows_.assign(rows.begin(), rows.end());
  targets_.resize(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    ensure(rows[r] >= 0 && rows[r] < samples_->count(), "a sample is a row of its table");
    targets_[r] = samples_->targets[static_cast<std::size_t>(rows[r])];
  }
  const auto* table = std::get_if<DenseRows<Scalar>>(&samples_->features);
  if (table == nullptr) return;
  if (consecutive(rows)) {
    dense_ = table->data() + rows.front() * table->cols();
    return;
  }
  if (gathered_.rows() < count()) gathered_.resize(count(), table->cols());
  for (Index r = 0; r < count(); ++r) gathered_.row(r) = table->row(rows[static_cast<std::size_t>(r)]);
  dense_ = gathered_.data();
}

template <class Scalar>
void SampleBlock<Scalar>::copy_row(Index r, std::span<Scalar> features) const {
  ensure(r >= 0 && r < count() && static_cast<Index>(features.size()) == feature_count(),
         "a row of a block has all features");
  const auto* sparse = std::get_if<SparseRows<Scalar>>(&samples_->features);
  if (sparse == nullptr) {
    std::copy_n(dense_ + r * feature_count(), feature_count(), features.data());
    return;
  }
  std::ranges::fill(features, Scalar{0});
  const auto row = static_cast<std::size_t>(rows_[static_cast<std::size_t>(r)]);
  const auto end = static_cast<std::size_t>(sparse->row_begin[row + 1]);
  for (auto e = static_cast<std::size_t>(sparse->row_begin[row]); e < end; ++e)
    features[static_cast<std::size_t>(sparse->column[e])] = sparse->value[e];
}

template <class Scalar>
void SampleBlock<Scalar>::multiply(const ConstMatrixMap& weights, DenseRows<Scalar>& outputs) const {
  if (const auto* sparse = std::get_if<SparseRows<Scalar>>(&samples_->features)) {
    outputs.resize(count(), weights.rows());
    for (Index r = 0; r < count(); ++r) {
      const auto row = static_cast<std::size_t>(rows_[static_cast<std::size_t>(r)]);
      const auto begin = static_cast<std::size_t>(sparse->row_begin[row]);
      const auto end = static_cast<std::size_t>(sparse->row_begin[row + 1]);
      for (Index k = 0; k < weights.rows(); ++k) {
        const Scalar* weight = weights.data() + k * weights.cols();
        Scalar sum{0};
        for (std::size_t e = begin; e < end; ++e) sum += weight[sparse->column[e]] * sparse->value[e];
        outputs(r, k) = sum;
      }
    }
    return;
  }
  outputs.setZero(count(), weights.rows());
  add_product_with_transpose(dense(), weights, outputs);
}

template <class Scalar>
void SampleBlock<Scalar>::add_product(const DenseRows<Scalar>& residuals, MatrixMap gradient) const {
  if (const auto* sparse = std::get_if<SparseRows<Scalar>>(&samples_->features)) {
    for (Index r = 0; r < count(); ++r) {
      const auto row = static_cast<std::size_t>(rows_[static_cast<std::size_t>(r)]);
      const auto begin = static_cast<std::size_t>(sparse->row_begin[row]);
      const auto end = static_cast<std::size_t>(sparse->row_begin[row + 1]);
      for (Index k = 0; k < gradient.rows(); ++k) {
        Scalar* target = gradient.data() + k * gradient.cols();
        const Scalar residual = residuals(r, k);
        for (std::size_t e = begin; e < end; ++e) target[sparse->column[e]] += residual * sparse->value[e];
      }
    }
    return;
  }
  add_transpose_product(residuals, dense(), gradient);
}

template class SampleBlock<float>;
template class SampleBlock<double>;

}  // namespace hearsay

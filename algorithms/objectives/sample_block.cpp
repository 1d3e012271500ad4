#include "algorithms/objectives/sample_block.hpp"

#include <array>
#include <cstdint>

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

/// A row of a sparse table: `count` entries.
template <class Scalar>
struct SparseRow {
  const std::int32_t* column;
  const Scalar* value;
  std::size_t count;
};

template <class Scalar>
SparseRow<Scalar> row_of(const SparseRows<Scalar>& table, Index row) {
  const auto begin = static_cast<std::size_t>(table.row_begin[static_cast<std::size_t>(row)]);
  const auto end = static_cast<std::size_t>(table.row_begin[static_cast<std::size_t>(row) + 1]);
  return {table.column.data() + begin, table.value.data() + begin, end - begin};
}

/// Asks for a row before it is read: rows that are drawn lie anywhere in the table, and a product waits for
/// memory most of all.
template <class Scalar>
void prefetch(const SparseRow<Scalar>& row) {
  constexpr std::size_t line = 64 / sizeof(Scalar);
  __builtin_prefetch(row.column);
  __builtin_prefetch(row.value);
  __builtin_prefetch(row.value + std::min(line, row.count));
}

/// output[r] = the product of rows[r] and `weights`, added up in the order of the row. Several rows at once,
/// since an addition waits for the one before it in its row.
template <std::size_t count, class Scalar>
void multiply_rows(const SparseRow<Scalar>* rows, const Scalar* weights, Scalar* output, Index stride) {
  std::size_t common = rows[0].count;
  for (std::size_t r = 1; r < count; ++r) common = std::min(common, rows[r].count);
  std::array<Scalar, count> sums{};
  for (std::size_t e = 0; e < common; ++e)
    for (std::size_t r = 0; r < count; ++r) sums[r] += weights[rows[r].column[e]] * rows[r].value[e];
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t e = common; e < rows[r].count; ++e)
      sums[r] += weights[rows[r].column[e]] * rows[r].value[e];
    output[static_cast<Index>(r) * stride] = sums[r];
  }
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
  const SparseRow<Scalar> row = row_of(*sparse, rows_[static_cast<std::size_t>(r)]);
  for (std::size_t e = 0; e < row.count; ++e)
    features[static_cast<std::size_t>(row.column[e])] = row.value[e];
}

template <class Scalar>
void SampleBlock<Scalar>::multiply(const ConstMatrixMap& weights, DenseRows<Scalar>& outputs) const {
  if (const auto* sparse = std::get_if<SparseRows<Scalar>>(&samples_->features)) {
    outputs.resize(count(), weights.rows());
    const auto row = [&](Index r) { return row_of(*sparse, rows_[static_cast<std::size_t>(r)]); };
    constexpr Index together = 4;
    std::array<SparseRow<Scalar>, together> rows;
    for (Index first = 0; first < count(); first += together) {
      const Index group = std::min(together, count() - first);
      for (Index r = 0; r < group; ++r) rows[static_cast<std::size_t>(r)] = row(first + r);
      for (Index r = first + 2 * together; r < std::min(first + 3 * together, count()); ++r) prefetch(row(r));
      for (Index k = 0; k < weights.rows(); ++k) {
        const Scalar* weight = weights.data() + k * weights.cols();
        Scalar* output = outputs.data() + first * outputs.cols() + k;
        if (group == together)
          multiply_rows<together>(rows.data(), weight, output, outputs.cols());
        else
          for (Index r = 0; r < group; ++r)
            multiply_rows<1>(rows.data() + r, weight, output + r * outputs.cols(), outputs.cols());
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
      const SparseRow<Scalar> row = row_of(*sparse, rows_[static_cast<std::size_t>(r)]);
      for (Index k = 0; k < gradient.rows(); ++k) {
        Scalar* target = gradient.data() + k * gradient.cols();
        const Scalar residual = residuals(r, k);
        for (std::size_t e = 0; e < row.count; ++e) target[row.column[e]] += residual * row.value[e];
      }
    }
    return;
  }
  add_transpose_product(residuals, dense(), gradient);
}

template class SampleBlock<float>;
template class SampleBlock<double>;

}  // namespace hearsay

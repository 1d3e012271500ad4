#include "algorithms/objectives/sample_block.hpp"

#include <array>
#include <cstdint>
#include <limits>

#include "algorithms/arithmetic/fetch_ahead.hpp"
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

/// Rows that are drawn lie anywhere in the table, and a product waits for memory most of all.
template <class Scalar>
void fetch_ahead(const SparseRow<Scalar>& row) {
  constexpr std::size_t most_bytes = 128;
  hearsay::fetch_ahead(row.column, std::min(row.count * sizeof(*row.column), most_bytes));
  hearsay::fetch_ahead(row.value, std::min(row.count * sizeof(*row.value), most_bytes));
}

/// outputs = the products of `rows` of the table and W^T, rows x outputs, each added up in the order of its
/// row. Several rows at once, since an addition waits for the one before it in its row.
template <std::size_t count, class Scalar>
void multiply_rows(const SparseRows<Scalar>& table, std::span<const Index, count> rows,
                   const Eigen::Map<const DenseRows<Scalar>>& weights, Scalar* outputs) {
  std::array<SparseRow<Scalar>, count> row;
  std::size_t common = std::numeric_limits<std::size_t>::max();
  for (std::size_t r = 0; r < count; ++r) {
    row[r] = row_of(table, rows[r]);
    common = std::min(common, row[r].count);
  }
  for (Index k = 0; k < weights.rows(); ++k) {
    const Scalar* weight = weights.data() + k * weights.cols();
    std::array<Scalar, count> sums{};
    for (std::size_t e = 0; e < common; ++e)
      for (std::size_t r = 0; r < count; ++r) sums[r] += weight[row[r].column[e]] * row[r].value[e];
    for (std::size_t r = 0; r < count; ++r) {
      for (std::size_t e = common; e < row[r].count; ++e)
        sums[r] += weight[row[r].column[e]] * row[r].value[e];
      outputs[static_cast<Index>(r) * weights.rows() + k] = sums[r];
    }
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
    constexpr std::size_t together = 4;
    const std::span<const Index> rows = rows_;
    const auto output = [&](std::size_t r) {
      return outputs.data() + static_cast<Index>(r) * outputs.cols();
    };
    std::size_t r = 0;
    for (; r + together <= rows.size(); r += together) {
      for (std::size_t later = r + 2 * together; later < std::min(r + 3 * together, rows.size()); ++later)
        fetch_ahead(row_of(*sparse, rows[later]));
      multiply_rows(*sparse, rows.subspan(r).template first<together>(), weights, output(r));
    }
    for (; r < rows.size(); ++r)
      multiply_rows(*sparse, rows.subspan(r).template first<1>(), weights, output(r));
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

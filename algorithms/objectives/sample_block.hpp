#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/objectives/samples.hpp"

namespace hearsay {

/// A block of samples of a table, gathered for matrix products. A is the block as rows x features, W a matrix
/// of outputs x features.
///
/// Dense rows are copied into aligned scratch of a few MiB, unless they are consecutive in the table. Sparse
/// rows are not copied. Either way the results depend on the samples and their order only.
template <class Scalar>
class SampleBlock {
 public:
  using ConstMatrixMap = Eigen::Map<const DenseRows<Scalar>>;
  using MatrixMap = Eigen::Map<DenseRows<Scalar>>;

  /// `samples` outlives the block.
  explicit SampleBlock(const Samples<Scalar>& samples);

  /// The most rows `load` takes.
  Index capacity() const { return capacity_; }
  void load(std::span<const Index> rows);

  Index count() const { return static_cast<Index>(rows_.size()); }
  Index feature_count() const { return samples_->feature_count(); }
  std::span<const Scalar> targets() const { return targets_; }

  /// Copies row r of A, zeros included, for models that are not a matrix product at their features.
  void copy_row(Index r, std::span<Scalar> features) const;
  /// outputs = A W^T, rows x outputs
  void multiply(const ConstMatrixMap& weights, DenseRows<Scalar>& outputs) const;
  /// gradient += R^T A, with residuals R of rows x outputs and a gradient of outputs x features
  void add_product(const DenseRows<Scalar>& residuals, MatrixMap gradient) const;

 private:
  ConstMatrixMap dense() const { return {dense_, count(), feature_count()}; }

  const Samples<Scalar>* samples_;
  Index capacity_;
  std::vector<Index> rows_;
  std::vector<Scalar> targets_;
  DenseRows<Scalar> gathered_;
  const Scalar* dense_ = nullptr;
};

/// Calls visit(block) for consecutive blocks of the local samples `samples` of the shard, in order.
template <class Scalar, class Visit>
void for_each_block(const Shard<Scalar>& shard, std::span<const Index> samples, const Visit& visit) {
  if (samples.empty()) return;
  SampleBlock<Scalar> block(*shard.samples);
  std::vector<Index> rows;
  for (std::size_t begin = 0; begin < samples.size(); begin += rows.size()) {
    const auto part =
        samples.subspan(begin, std::min(samples.size() - begin, static_cast<std::size_t>(block.capacity())));
    rows.clear();
    for (const Index sample : part) rows.push_back(shard.rows[static_cast<std::size_t>(sample)]);
    block.load(rows);
    visit(block);
  }
}

/// The same for all samples of the shard.
template <class Scalar, class Visit>
void for_each_block(const Shard<Scalar>& shard, const Visit& visit) {
  if (shard.rows.empty()) return;
  SampleBlock<Scalar> block(*shard.samples);
  const std::span<const Index> rows = shard.rows;
  const auto capacity = static_cast<std::size_t>(block.capacity());
  for (std::size_t begin = 0; begin < rows.size(); begin += capacity) {
    block.load(rows.subspan(begin, std::min(rows.size() - begin, capacity)));
    visit(block);
  }
}

}  // namespace hearsay

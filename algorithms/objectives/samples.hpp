#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"

namespace hearsay {

/// Compressed sparse rows: row r holds the entries row_begin[r] ... row_begin[r+1]-1, columns ascending.
template <class Scalar>
struct SparseRows {
  Index columns = 0;
  std::vector<Index> row_begin = {0};
  std::vector<std::int32_t> column;
  std::vector<Scalar> value;
  Index rows() const { return static_cast<Index>(row_begin.size()) - 1; }
  Index cols() const { return columns; }
};

/// Labelled samples, loaded once per machine and shared read-only by all its peers. One row per sample.
template <class Scalar>
struct Samples {
  std::variant<DenseRows<Scalar>, SparseRows<Scalar>> features;
  /// Regression: the target. Classification: the class, 0 ... class_count-1 (labels -1/+1 become 0/1).
  std::vector<Scalar> targets;
  /// 0 for regression targets.
  std::uint32_t class_count = 0;

  Index count() const { return static_cast<Index>(targets.size()); }
  Index feature_count() const {
    return std::visit([](const auto& rows) { return static_cast<Index>(rows.cols()); }, features);
  }
};

/// The samples of one peer: rows of a shared table.
template <class Scalar>
struct Shard {
  std::shared_ptr<const Samples<Scalar>> samples;
  std::vector<Index> rows;  ///< ascending
};

}  // namespace hearsay

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "algorithms/arithmetic/segments.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// How a vector is cut into buckets, the groups of coordinates that share a norm: runs of a fixed number of
/// coordinates (the last may be shorter), one bucket per layer, or one for the whole vector. Empty layers
/// have no bucket.
class Buckets {
 public:
  /// Reads the argument `bucket`: a number, "layer" or "whole"; `fallback` if it is missing. Without segments
  /// the whole vector is one layer.
  static Buckets parse(const Arguments& arguments, const SegmentTable& segments, const std::string& fallback);
  /// One bucket for the whole vector.
  static Buckets whole();

  /// As the user spells it: "512", "layer" or "whole".
  std::string spelling() const;
  std::size_t count(std::size_t dimension) const;
  /// The size of the largest bucket; 0 for an empty vector.
  std::size_t largest(std::size_t dimension) const;

  /// The size of all buckets but the last; 0 if the buckets are layers or the whole vector.
  std::size_t fixed_size() const { return size_; }

  /// Calls visit(bucket number, first coordinate, size) for every bucket, in ascending order.
  template <class Visit>
  void for_each(std::size_t dimension, Visit visit) const {
    if (by_layer()) {
      check_layers(dimension);
      for (std::size_t k = 0; k + 1 < layer_bounds_.size(); ++k)
        visit(k, layer_bounds_[k], layer_bounds_[k + 1] - layer_bounds_[k]);
      return;
    }
    const std::size_t step = size_ ? size_ : dimension;
    for (std::size_t k = 0, begin = 0; begin < dimension; ++k, begin += step)
      visit(k, begin, step < dimension - begin ? step : dimension - begin);
  }

 private:
  bool by_layer() const { return !layer_bounds_.empty(); }
  void check_layers(std::size_t dimension) const;

  std::string spelling_;
  std::size_t size_ = 0;  ///< 0: the whole vector
  std::vector<std::size_t> layer_bounds_;
};

}  // namespace hearsay

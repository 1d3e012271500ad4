#pragma once

#include <string>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"

namespace hearsay {

/// A named, contiguous part of the parameter vector: a layer's weights or its biases. Its shape is a matrix
/// of rows x columns, row-major; columns = 1 for a vector.
struct Segment {
  std::string name;
  Index begin;
  Index rows;
  Index columns = 1;
  Index size() const { return rows * columns; }
  Index end() const { return begin + size(); }
  bool operator==(const Segment&) const = default;
};

/// The segments in order. They tile [0, d) without gaps.
using SegmentTable = std::vector<Segment>;

}  // namespace hearsay

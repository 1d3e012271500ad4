#pragma once

#include <string>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"

namespace hearsay {

/// A named, contiguous part of the parameter vector: a layer's weights or its biases. rows x columns is its
/// matrix shape (row-major), columns = 1 for a vector.
struct Segment {
  std::string name;
  Index begin;
  Index rows;
  Index columns = 1;
  Index size() const { return rows * columns; }
  Index end() const { return begin + size(); }
};

/// The layers in order; they tile [0, d) without gaps.
using SegmentTable = std::vector<Segment>;

}  // namespace hearsay

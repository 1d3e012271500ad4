#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"

namespace hearsay {

/// A random projection P of R^d to R^K that takes d additions: coordinate j is added to the coordinate h(j)
/// with sign s(j), both drawn from a seed (count sketch: Charikar, Chen, Farach-Colton 2002). For all g, h
///
///     E <P g, P h> = <g, h>
///     Var <P g, P h> <= (||g||^2 ||h||^2 + <g, h>^2) / K
class Projection {
 public:
  Projection(Index dimension, Index size, std::uint64_t seed);

  /// K
  Index size() const { return size_; }
  template <class Scalar>
  Vector<double> of(std::span<const Scalar> vector) const;

 private:
  Index size_;
  std::vector<std::uint32_t> places_;  // 2 h(j), + 1 for a negative sign
};

}  // namespace hearsay

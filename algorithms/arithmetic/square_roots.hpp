#pragma once

#include "algorithms/arithmetic/vector.hpp"

namespace hearsay {

/// Returns the square root of each entry, rounded correctly. Eigen's own, of floats, begins with an
/// approximation for which processors of different makers have different bits, and the bits of a run must not
/// depend on the machine. The root of a float in double, rounded to float, is the correctly rounded one.
template <class Array>
auto square_roots(const Eigen::ArrayBase<Array>& squares) {
  return squares.derived().template cast<double>().sqrt().template cast<typename Array::Scalar>();
}

}  // namespace hearsay

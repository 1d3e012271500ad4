#pragma once

#include <span>

namespace hearsay {

/// `squared_norm` of kernels.hpp with the widest vectors that the machine has (chosen at run time): the same lanes, the
/// same bits on each. Every Euclidean norm of a bucket goes through it.
double squared_norm_in_vectors(std::span<const float> x);
double squared_norm_in_vectors(std::span<const double> x);

}  // namespace hearsay

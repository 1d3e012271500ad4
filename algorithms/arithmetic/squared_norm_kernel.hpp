#pragma once

#include <span>

namespace hearsay {

/// `squared_norm` of reductions.hpp with the widest vectors that the machine has (chosen at run time). The
/// lanes are the same, so every machine gives the same bits. Every Euclidean norm of a bucket is computed by
/// it.
double squared_norm_in_vectors(std::span<const float> x);
double squared_norm_in_vectors(std::span<const double> x);

}  // namespace hearsay

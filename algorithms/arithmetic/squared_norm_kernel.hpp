#pragma once

#include <span>

namespace hearsay {

/// `squared_norm` of reductions.hpp with the widest vectors of the machine, chosen at run time. The lanes are
/// the same, so every machine gives the same bits. Computes every Euclidean norm of a bucket.
double squared_norm_in_vectors(std::span<const float> x);
double squared_norm_in_vectors(std::span<const double> x);

}  // namespace hearsay

#pragma once

#include <cstddef>
#include <span>

namespace hearsay {

/// Returns ||values||_1 / count, with the sum in the lanes of algorithms/arithmetic/reductions.hpp. NaN if a
/// value is Inf or NaN, else finite. `count` is at least 1, and at least the number of values that are not 0.
template <class Scalar>
double mean_magnitude(std::span<const Scalar> values, std::size_t count);

}  // namespace hearsay

#pragma once

#include <cstddef>
#include <span>

namespace hearsay {

/// ||values||_1 / count, in the lanes of algorithms/kernels.hpp; NaN if a value is Inf or NaN, else finite.
/// `count` is at least the number of values that are not 0, and not 0.
template <class Scalar>
double mean_magnitude(std::span<const Scalar> values, std::size_t count);

}  // namespace hearsay

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hearsay {

/// Random projections of a vector x in R^d: s = P x with P in {-1/8, 1/8}^{64 x d}, whose signs are hashed
/// from a seed, so that all peers of a run have the same P. For any vectors x_1, ..., x_n with mean m and
/// sketches s_i with mean s,
///
///     E (1/n) sum_i ||s_i - s||^2 = (1/n) sum_i ||x_i - m||^2
///
/// with a standard deviation of at most sqrt(2/64) = 17.7 % of it: 8.8 % of its root, the consensus distance.
/// (Johnson and Lindenstrauss 1984; signs: Achlioptas 2003.)
inline constexpr std::size_t sketch_size = 64;
using Sketch = std::array<double, sketch_size>;

/// Returns the sketch of `x`, summed in double, in the order of the coordinates.
template <class Scalar>
Sketch sketch_of(std::span<const Scalar> x, std::uint64_t seed);

/// Returns ||one - other||^2.
double squared_distance(const Sketch& one, const Sketch& other);

}  // namespace hearsay

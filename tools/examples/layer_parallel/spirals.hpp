#pragma once

#include <cstdint>

#include "runtime/hearsay.hpp"

namespace hearsay::layer_parallel {

/// Returns two spirals in the plane, wound around each other, one and a half turns of each; the classes take
/// turns. `noise` is the standard deviation of both coordinates.
template <class Scalar>
Samples<Scalar> two_spirals(Index count, double noise, std::uint64_t seed);

}  // namespace hearsay::layer_parallel

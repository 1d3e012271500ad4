#pragma once

#include "algorithms/compression/compressor.hpp"

namespace hearsay {

/// The compressor's traits with omega_typical filled in where it has no closed form: what a wrapper's second compressor is
/// given is no longer Gaussian, and a transform makes more or fewer coefficients than there are coordinates.
///
///   omega_typical = sum ||C(z) - z||^2 / sum ||z||^2      over a few standard Gaussian z in R^d, from a seed of its own
///
/// Always the same number for the same compressor and dimension. Costs as much as a message or, of less than 65,536
/// coordinates, as messages of that many in all: for whoever asks once in a run.
template <class Scalar>
Traits measured_traits(Compressor<Scalar>& compressor, std::size_t dimension);

}  // namespace hearsay

#pragma once

#include <optional>

#include "algorithms/compression/seam/compressor.hpp"

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

/// C(z) = keep z + noise: what a linear model sees of a compressor.
struct LinearError {
  double keep = 1.0;   ///< sum <C(z), z> / sum ||z||^2; 1 if unbiased
  double noise = 0.0;  ///< sum ||C(z) - keep z||^2 / sum ||z||^2
};

/// The same, on the same Gaussian z; of an error that does not grow with z nothing is left. Empty where the compressor
/// cannot take such data.
template <class Scalar>
std::optional<LinearError> typical_error(Compressor<Scalar>& compressor, std::size_t dimension);

/// The same at worst, from what the traits promise; empty where they promise nothing.
std::optional<LinearError> worst_error(const Traits& traits);

}  // namespace hearsay

#pragma once

#include <optional>

#include "algorithms/compression/seam/compressor.hpp"

namespace hearsay {

/// The compressor's traits, with omega_typical measured if it has no closed form. It has none if the input of
/// a wrapper's second compressor is no longer Gaussian, or if a transform makes more or fewer coefficients
/// than there are coordinates.
///
///   omega_typical = sum ||C(z) - z||^2 / sum ||z||^2   over a few standard Gaussian z, with a fixed seed
///
/// The number is the same for the same compressor and dimension. It costs as much as a message or, below
/// 65,536 coordinates, as messages of that many coordinates in all: to be called once in a run.
template <class Scalar>
Traits measured_traits(Compressor<Scalar>& compressor, std::size_t dimension);

/// C(z) = keep z + noise: a linear model of a compressor.
struct LinearError {
  double keep = 1.0;   ///< sum <C(z), z> / sum ||z||^2; 1 if unbiased
  double noise = 0.0;  ///< sum ||C(z) - keep z||^2 / sum ||z||^2
};

/// The linear error on the same Gaussian z; 0 if the error does not grow with z. Empty if the compressor
/// cannot take such data.
template <class Scalar>
std::optional<LinearError> typical_error(Compressor<Scalar>& compressor, std::size_t dimension);

/// The worst linear error that the traits allow; empty if they promise nothing.
std::optional<LinearError> worst_error(const Traits& traits);

}  // namespace hearsay

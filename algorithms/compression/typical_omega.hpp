#pragma once

#include <optional>

#include "algorithms/compression/seam/compressor.hpp"

namespace hearsay {

/// Returns the traits of the compressor, with omega_typical measured if it has no closed form: if a wrapper's
/// second compressor gets input that is not Gaussian any more, or if a transform mixes coordinates.
///
///   omega_typical = sum ||C(z) - z||^2 / sum ||z||^2   over a few standard Gaussian z, with a fixed seed
///
/// The measured number depends on the compressor and the dimension only. It costs as much as one message or,
/// for fewer than 65,536 coordinates, as up to 256 messages of at most 65,536 coordinates in all: call this
/// once in a run.
template <class Scalar>
Traits measured_traits(Compressor<Scalar>& compressor, std::size_t dimension);

/// C(z) = keep z + noise: a linear model of a compressor.
struct LinearError {
  double keep = 1.0;   ///< sum <C(z), z> / sum ||z||^2; 1 if unbiased
  double noise = 0.0;  ///< sum ||C(z) - keep z||^2 / sum ||z||^2
};

/// Returns the linear error, measured on the same Gaussian z; keep 1 and noise 0 if the error does not grow
/// with z. Nothing if the compressor cannot encode such data.
template <class Scalar>
std::optional<LinearError> typical_error(Compressor<Scalar>& compressor, std::size_t dimension);

/// Returns the worst linear error that the traits allow; nothing for a biased compressor without a
/// contraction and without an absolute error.
std::optional<LinearError> worst_error(const Traits& traits);

}  // namespace hearsay

#include "algorithms/compression/rate_distortion.hpp"

#include <cmath>

namespace hearsay {

std::optional<double> least_bits_per_coordinate(const Traits& traits) {
  double alpha = 1.0;
  if (traits.unbiased && std::isfinite(traits.omega))
    alpha = traits.omega / (1.0 + traits.omega);
  else if (traits.contraction)
    alpha = 1.0 - *traits.contraction;
  if (!(0.0 < alpha && alpha < 1.0)) return std::nullopt;
  return -0.5 * std::log2(alpha);
}

}  // namespace hearsay

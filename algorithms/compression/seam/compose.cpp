#include "algorithms/compression/seam/compose.hpp"

#include <cmath>
#include <limits>

namespace hearsay {

namespace {

bool loses_nothing(const Traits& traits) { return traits.unbiased && traits.omega == 0.0; }

}  // namespace

Traits exact_traits() {
  Traits traits;
  traits.unbiased = true;
  traits.omega = traits.omega_typical = 0.0;
  traits.contraction = 1.0;
  traits.absolute_error_per_coordinate = 0.0;
  traits.deterministic = true;
  return traits;
}

double product_of_factors(double a, double b) { return a == 0.0 || b == 0.0 ? 0.0 : a * b; }

Traits composed(const Traits& first, const Traits& second) {
  Traits both;
  both.unbiased = first.unbiased && second.unbiased;
  both.deterministic = first.deterministic && second.deterministic;
  if (both.unbiased) {
    both.omega = first.omega + second.omega + product_of_factors(first.omega, second.omega);
    both.omega_typical = first.omega_typical + second.omega_typical +
                         product_of_factors(first.omega_typical, second.omega_typical);
  }
  if (loses_nothing(first))
    both.contraction = second.contraction;
  else if (loses_nothing(second))
    both.contraction = first.contraction;
  else if (both.omega < 1.0)
    both.contraction = 1.0 - both.omega;
  if (first.absolute_error_per_coordinate && second.absolute_error_per_coordinate)
    both.absolute_error_per_coordinate =
        std::hypot(*first.absolute_error_per_coordinate, *second.absolute_error_per_coordinate);
  return both;
}

Traits behind_transforms(Traits traits, double expansion, bool mixed) {
  // The errors of many coefficients may add up in one coordinate, unless they are independent and of mean 0.
  if (mixed && !traits.unbiased) traits.absolute_error_per_coordinate.reset();
  if (expansion > 1.0 && traits.contraction) {
    const double left = traits.unbiased ? traits.omega : expansion * (1.0 - *traits.contraction);
    traits.contraction = left < 1.0 ? std::optional(1.0 - left) : std::nullopt;
  }
  // After a flat embedding, or padding, the stages behind it make a smaller error than on Gaussian data.
  if (mixed && traits.omega_typical > 0.0) traits.omega_typical = std::numeric_limits<double>::infinity();
  return traits;
}

Traits on_selection(const Traits& selector, const Traits& quantizer) {
  Traits both = composed(selector, quantizer);
  if (!selector.unbiased && selector.contraction && quantizer.contraction)
    both.contraction = *selector.contraction * *quantizer.contraction;
  return both;
}

}  // namespace hearsay

#include "algorithms/compression/quantizers/mean_magnitude.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithms/arithmetic/reductions.hpp"

namespace hearsay {

template <class Scalar>
double mean_magnitude(std::span<const Scalar> values, std::size_t count) {
  const auto entries = static_cast<double>(count);
  const double total = norm_1(values);
  if (std::isfinite(total)) return total / entries;
  if (!all_finite(values)) return std::numeric_limits<double>::quiet_NaN();
  // The sum is beyond the range of double, but the mean is not.
  double mean = 0.0;
  for (const Scalar value : values) mean += std::abs(static_cast<double>(value)) * 0x1p-64;
  return std::min(mean / entries, std::numeric_limits<double>::max() * 0x1p-64) * 0x1p64;
}

template double mean_magnitude<float>(std::span<const float>, std::size_t);
template double mean_magnitude<double>(std::span<const double>, std::size_t);

}  // namespace hearsay

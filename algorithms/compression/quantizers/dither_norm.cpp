#include "algorithms/compression/quantizers/dither_norm.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/compression/quantizers/dither_kernels.hpp"
#include "algorithms/compression/selectors/magnitudes.hpp"

namespace hearsay {

namespace {

/// The Euclidean norm of finite coordinates whose squares may be beyond the range of a double.
template <class Scalar>
double scaled_norm(std::span<const Scalar> z, double largest) {
  const int exponent = std::ilogb(largest);
  double total = 0.0;
  for (const Scalar value : z) {
    const double scaled = std::scalbn(static_cast<double>(value), -exponent);
    total += scaled * scaled;
  }
  return std::scalbn(std::sqrt(total), exponent);
}

double largest_of(std::span<const double> z) {
  const double largest = std::bit_cast<double>(largest_magnitude_of(z));
  return std::isfinite(largest) ? largest : std::numeric_limits<double>::quiet_NaN();
}

double largest_of(std::span<const float> z) { return static_cast<double>(largest_magnitude(z)); }

}  // namespace

DitherNorm parse_dither_norm(const Arguments& arguments) {
  const std::array<std::string, 2> norms{"linf", "l2"};
  return arguments.word("norm", norms) == "l2" ? DitherNorm::l2 : DitherNorm::linf;
}

std::string spelling_of(DitherNorm norm) { return norm == DitherNorm::l2 ? "l2" : "linf"; }

template <class Scalar>
double bucket_norm(DitherNorm norm, std::span<const Scalar> bucket) {
  const double largest = largest_of(bucket);
  if (norm == DitherNorm::linf || largest == 0.0 || !std::isfinite(largest)) return largest;
  const bool squares_in_range = 0x1p-400 < largest && largest < 0x1p400;
  const double euclidean = squares_in_range ? std::sqrt(squared_norm(bucket)) : scaled_norm(bucket, largest);
  const bool in_range = euclidean <= static_cast<double>(std::numeric_limits<Scalar>::max());
  // If all coordinates but one are tiny, rounding may put the computed norm an ulp below that coordinate.
  return in_range ? std::max(euclidean, largest) : std::numeric_limits<double>::infinity();
}

template double bucket_norm<float>(DitherNorm, std::span<const float>);
template double bucket_norm<double>(DitherNorm, std::span<const double>);

}  // namespace hearsay

#include "algorithms/compression/rate_distortion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr int halvings = 200;  // until doubles do not tell the ends of the interval apart

double variance(const CorrelatedVectors& bucket) { return bucket.shared + bucket.own; }

/// n R_b(D), in bits.
double ceo_rate(const CorrelatedVectors& bucket, double n, double distortion) {
  const double missing = 1.0 / distortion - 1.0 / bucket.shared;
  return 0.5 * std::log2(bucket.shared / distortion) - 0.5 * n * std::log2(1.0 - bucket.own / n * missing);
}

/// The least D of a bucket: that of the exact vectors.
double ceo_floor(const CorrelatedVectors& bucket, double n) {
  if (bucket.shared == 0.0) return 0.0;
  return 1.0 / (1.0 / bucket.shared + n / bucket.own);
}

/// D_b with the slope -n R_b'(D_b) = s in nats; `shared` if the slope there is steeper already. With
/// u = 1 / D, a = own / n and c = 1 + a / shared it is u / 2 + own u^2 / (2 (c - a u)), so
/// (own - a) u^2 + (c + 2 s a) u = 2 s c.
double distortion_at(const CorrelatedVectors& bucket, double n, double slope) {
  if (bucket.shared == 0.0) return bucket.shared;
  const double a = bucket.own / n;
  const double c = 1.0 + a / bucket.shared;
  const double b = c / slope + 2.0 * a;
  const double distortion = (b + std::hypot(b, std::sqrt(8.0 * c * (bucket.own - a) / slope))) / (4.0 * c);
  return std::min(distortion, bucket.shared);
}

}  // namespace

std::optional<double> worst_relative_error(const Traits& traits) {
  double alpha = 1.0;
  if (traits.unbiased && std::isfinite(traits.omega))
    alpha = traits.omega / (1.0 + traits.omega);
  else if (traits.contraction)
    alpha = 1.0 - *traits.contraction;
  if (!(0.0 < alpha && alpha < 1.0)) return std::nullopt;
  return alpha;
}

std::optional<double> least_bits_per_coordinate(const Traits& traits) {
  const auto alpha = worst_relative_error(traits);
  return alpha ? std::optional(universal_bits(*alpha)) : std::nullopt;
}

double universal_bits(double alpha) { return -0.5 * std::log2(alpha); }

template <class Scalar>
std::vector<CorrelatedVectors> correlated_vectors(std::span<const Vector<Scalar>> vectors, Index bucket) {
  ensure(vectors.size() >= 2 && bucket > 0, "a correlation is one of two vectors or more");
  const Index dimension = vectors.front().size();
  const auto n = static_cast<double>(vectors.size());
  std::vector<CorrelatedVectors> buckets;
  Vector<double> sum;
  for (Index begin = 0; begin < dimension; begin += bucket) {
    const Index size = std::min(bucket, dimension - begin);
    sum.setZero(size);
    double squares = 0.0;
    for (const Vector<Scalar>& vector : vectors) {
      const Vector<double> part = vector.segment(begin, size).template cast<double>();
      sum += part;
      squares += part.squaredNorm();
    }
    const auto coordinates = static_cast<double>(size);
    const double whole = squares / (n * coordinates);
    const double pairs = (sum.squaredNorm() - squares) / (n * (n - 1.0) * coordinates);
    const double shared = std::clamp(pairs, 0.0, whole);
    buckets.push_back({coordinates / static_cast<double>(dimension), shared, whole - shared});
  }
  return buckets;
}

double gaussian_bits(std::span<const CorrelatedVectors> buckets, double distortion) {
  if (!(distortion > 0.0)) return std::numeric_limits<double>::infinity();
  double largest = 0.0;
  for (const CorrelatedVectors& bucket : buckets) largest = std::max(largest, variance(bucket));
  const auto distortion_at_level = [&](double level) {
    double sum = 0.0;
    for (const CorrelatedVectors& bucket : buckets) sum += bucket.share * std::min(level, variance(bucket));
    return sum;
  };
  if (distortion_at_level(largest) <= distortion) return 0.0;
  double low = 0.0;
  double high = largest;
  for (int k = 0; k < halvings; ++k) {
    const double middle = 0.5 * (low + high);
    (distortion_at_level(middle) < distortion ? low : high) = middle;
  }
  double bits = 0.0;
  for (const CorrelatedVectors& bucket : buckets)
    if (variance(bucket) > high) bits += bucket.share * 0.5 * std::log2(variance(bucket) / high);
  return bits;
}

double ceo_bits(std::span<const CorrelatedVectors> buckets, double peers, double distortion) {
  double floor = 0.0;
  double whole = 0.0;
  for (const CorrelatedVectors& bucket : buckets) {
    floor += bucket.share * ceo_floor(bucket, peers);
    whole += bucket.share * bucket.shared;
  }
  if (distortion >= whole) return 0.0;
  if (!(distortion > floor)) return std::numeric_limits<double>::infinity();
  const auto distortion_at_slope = [&](double slope) {
    double sum = 0.0;
    for (const CorrelatedVectors& bucket : buckets) sum += bucket.share * distortion_at(bucket, peers, slope);
    return sum;
  };
  // Slopes of all sizes are tried: their logarithm is halved.
  double flat = std::log(std::numeric_limits<double>::min());
  double steep = std::log(std::numeric_limits<double>::max());
  for (int k = 0; k < halvings; ++k) {
    const double middle = 0.5 * (flat + steep);
    (distortion_at_slope(std::exp(middle)) > distortion ? flat : steep) = middle;
  }
  double bits = 0.0;
  for (const CorrelatedVectors& bucket : buckets) {
    const double at = distortion_at(bucket, peers, std::exp(steep));
    if (at < bucket.shared) bits += bucket.share * ceo_rate(bucket, peers, at);
  }
  return bits / peers;
}

double distortion_of_mean(std::span<const CorrelatedVectors> buckets, double peers, double distortion) {
  double own = 0.0;
  for (const CorrelatedVectors& bucket : buckets) own += bucket.share * bucket.own;
  return (own + distortion) / peers;
}

template std::vector<CorrelatedVectors> correlated_vectors(std::span<const Vector<float>>, Index);
template std::vector<CorrelatedVectors> correlated_vectors(std::span<const Vector<double>>, Index);

}  // namespace hearsay

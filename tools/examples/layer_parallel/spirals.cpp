#include "tools/examples/layer_parallel/spirals.hpp"

#include <cmath>
#include <numbers>

namespace hearsay::layer_parallel {

template <class Scalar>
Samples<Scalar> two_spirals(Index count, double noise, std::uint64_t seed) {
  DenseRows<Scalar> points(count, 2);
  Samples<Scalar> samples;
  samples.class_count = 2;
  RandomStream random(seed, 0, 0, Purpose::data);
  for (Index s = 0; s < count; ++s) {
    const double along = 0.1 + 0.9 * static_cast<double>(s) / static_cast<double>(count);
    const double angle = (3.0 * along + static_cast<double>(s % 2)) * std::numbers::pi;
    points(s, 0) = static_cast<Scalar>(2.0 * along * std::cos(angle) + noise * random.normal());
    points(s, 1) = static_cast<Scalar>(2.0 * along * std::sin(angle) + noise * random.normal());
    samples.targets.push_back(static_cast<Scalar>(s % 2));
  }
  samples.features = std::move(points);
  return samples;
}

template Samples<float> two_spirals<float>(Index, double, std::uint64_t);
template Samples<double> two_spirals<double>(Index, double, std::uint64_t);

}  // namespace hearsay::layer_parallel

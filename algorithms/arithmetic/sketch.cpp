#include "algorithms/arithmetic/sketch.hpp"

#include <limits>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay {

namespace {

constexpr std::uint32_t half = sketch_size / 2;
constexpr PeerId of_all_peers = std::numeric_limits<PeerId>::max();
constexpr double entry = 1.0 / 8.0;  // 1 / sqrt(64)

/// Returns the key of the signs of 32 projections.
ElementKey key_of(std::uint64_t seed, std::uint64_t which) {
  RandomStream stream(seed, of_all_peers, which, Purpose::sketch);
  return stream.element_key();
}

}  // namespace

template <class Scalar>
Sketch sketch_of(std::span<const Scalar> x, std::uint64_t seed) {
  const ElementKey keys[] = {key_of(seed, 0), key_of(seed, 1)};
  Sketch sums{};
  for (std::size_t k = 0; k < x.size(); ++k) {
    const auto value = static_cast<double>(x[k]);
    const double signed_values[] = {-value, value};
    for (std::uint32_t which = 0; which < 2; ++which) {
      const std::uint32_t signs = element_bits(keys[which], static_cast<std::uint32_t>(k));
      for (std::uint32_t row = 0; row < half; ++row)
        sums[which * half + row] += signed_values[signs >> row & 1];
    }
  }
  for (double& sum : sums) sum *= entry;
  return sums;
}

double squared_distance(const Sketch& one, const Sketch& other) {
  double sum = 0.0;
  for (std::size_t row = 0; row < sketch_size; ++row)
    sum += (one[row] - other[row]) * (one[row] - other[row]);
  return sum;
}

template Sketch sketch_of<float>(std::span<const float>, std::uint64_t);
template Sketch sketch_of<double>(std::span<const double>, std::uint64_t);

}  // namespace hearsay

#include "algorithms/compression/typical_omega.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "algorithms/arithmetic/reductions.hpp"

namespace hearsay {

namespace {

constexpr std::uint64_t seed = 0x74797069;
constexpr std::size_t coordinates = 1u << 16;
constexpr std::size_t most_vectors = 256;

/// Sums over all vectors z, with left = z - C(z).
struct Sums {
  double left = 0.0;     ///< ||left||^2
  double overlap = 0.0;  ///< <left, z>
  double norm = 0.0;     ///< ||z||^2
};

template <class Scalar>
std::optional<Sums> measure(Compressor<Scalar>& compressor, std::size_t dimension) {
  const std::size_t vectors = std::clamp<std::size_t>(coordinates / dimension, 1, most_vectors);
  PacketPool packets;
  PacketBuffer packet = packets.acquire();
  RandomStream data(seed, 0, 0, Purpose::data);
  std::vector<Scalar> z(dimension);
  std::vector<Scalar> left;
  Sums sums;
  for (std::size_t k = 0; k < vectors; ++k) {
    for (Scalar& value : z) value = static_cast<Scalar>(data.normal());
    left = z;
    RandomStream random(seed, 0, k, Purpose::compression);
    if (compressor.encode({z, random}, packet) != CodecStatus::ok ||
        compressor.accumulate(packet.bytes(), Scalar(-1), left) != CodecStatus::ok)
      return std::nullopt;
    sums.left += squared_norm<Scalar>(left);
    sums.norm += squared_norm<Scalar>(z);
    for (std::size_t i = 0; i < dimension; ++i)
      sums.overlap += static_cast<double>(left[i]) * static_cast<double>(z[i]);
  }
  return sums;
}

}  // namespace

template <class Scalar>
Traits measured_traits(Compressor<Scalar>& compressor, std::size_t dimension) {
  Traits traits = compressor.traits(dimension);
  // Without a relative bound, the ratio would depend on the scale of the data, not on the compressor alone.
  const bool relative = traits.unbiased && std::isfinite(traits.omega);
  if (relative && !std::isfinite(traits.omega_typical) && dimension > 0)
    if (const std::optional<Sums> sums = measure(compressor, dimension))
      traits.omega_typical = std::min(traits.omega, sums->left / sums->norm);
  return traits;
}

template <class Scalar>
std::optional<LinearError> typical_error(Compressor<Scalar>& compressor, std::size_t dimension) {
  const Traits traits = measured_traits(compressor, dimension);
  if (traits.absolute_error_per_coordinate) return LinearError{};
  if (traits.unbiased)
    return std::isfinite(traits.omega_typical) ? std::optional(LinearError{1.0, traits.omega_typical})
                                               : std::nullopt;
  const std::optional<Sums> sums = measure(compressor, dimension);
  if (!sums) return std::nullopt;
  const double keep = 1.0 - sums->overlap / sums->norm;
  const double size = 1.0 - (2.0 * sums->overlap - sums->left) / sums->norm;  // ||C(z)||^2 / ||z||^2
  return LinearError{keep, std::max(0.0, size - keep * keep)};
}

/// A projection keeps delta of its input and makes delta (1 - delta) noise; so does a scaled unbiased
/// operator.
std::optional<LinearError> worst_error(const Traits& traits) {
  if (traits.absolute_error_per_coordinate) return LinearError{};
  if (traits.unbiased) return LinearError{1.0, traits.omega};
  if (!traits.contraction) return std::nullopt;
  const double delta = *traits.contraction;
  return LinearError{delta, delta * (1.0 - delta)};
}

template Traits measured_traits(Compressor<float>&, std::size_t);
template Traits measured_traits(Compressor<double>&, std::size_t);
template std::optional<LinearError> typical_error(Compressor<float>&, std::size_t);
template std::optional<LinearError> typical_error(Compressor<double>&, std::size_t);

}  // namespace hearsay

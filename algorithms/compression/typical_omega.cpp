#include "algorithms/compression/typical_omega.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "algorithms/kernels.hpp"

namespace hearsay {

namespace {

constexpr std::uint64_t seed = 0x74797069;
constexpr std::size_t coordinates = 1u << 16;
constexpr std::size_t most_vectors = 256;

template <class Scalar>
double measured_omega(Compressor<Scalar>& compressor, std::size_t dimension) {
  const std::size_t vectors = std::clamp<std::size_t>(coordinates / dimension, 1, most_vectors);
  PacketPool packets;
  PacketBuffer packet = packets.acquire();
  RandomStream data(seed, 0, 0, Purpose::data);
  std::vector<Scalar> z(dimension);
  std::vector<Scalar> left;
  double error = 0.0;
  double norm = 0.0;
  for (std::size_t k = 0; k < vectors; ++k) {
    for (Scalar& value : z) value = static_cast<Scalar>(data.normal());
    left = z;
    RandomStream random(seed, 0, k, Purpose::compression);
    if (compressor.encode({z, random}, packet) != CodecStatus::ok ||
        compressor.accumulate(packet.bytes(), Scalar(-1), left) != CodecStatus::ok)
      return std::numeric_limits<double>::infinity();
    error += squared_norm<Scalar>(left);
    norm += squared_norm<Scalar>(z);
  }
  return error / norm;
}

}  // namespace

template <class Scalar>
Traits measured_traits(Compressor<Scalar>& compressor, std::size_t dimension) {
  Traits traits = compressor.traits(dimension);
  // Without a relative bound the ratio is one of the data's scale, not of the compressor.
  const bool relative = traits.unbiased && std::isfinite(traits.omega);
  if (relative && !std::isfinite(traits.omega_typical) && dimension > 0)
    traits.omega_typical = std::min(traits.omega, measured_omega(compressor, dimension));
  return traits;
}

template Traits measured_traits(Compressor<float>&, std::size_t);
template Traits measured_traits(Compressor<double>&, std::size_t);

}  // namespace hearsay

#include "algorithms/compression/seam/full_precision.hpp"

#include <cstring>

#include "algorithms/arithmetic/wire_scalar.hpp"

namespace hearsay {

template <class Scalar>
void write_full(std::span<const Scalar> vector, PacketBuffer& out) {
  const auto bytes = out.resize(vector.size_bytes());
  if (!bytes.empty()) std::memcpy(bytes.data(), vector.data(), bytes.size());
}

template <class Scalar>
bool read_full(std::span<const std::byte> packet, std::span<Scalar> into) {
  if (packet.size() != into.size_bytes()) return false;
  if (!packet.empty()) std::memcpy(into.data(), packet.data(), packet.size());
  return true;
}

template <class Scalar>
bool add_full(std::span<const std::byte> packet, Scalar scale, std::span<Scalar> into) {
  if (packet.size() != into.size_bytes()) return false;
  Scalar* __restrict sum = into.data();
  for (std::size_t k = 0; k < into.size(); ++k) sum[k] += scale * read_scalar<Scalar>(packet, k);
  return true;
}

template <class Scalar>
bool add_weighted_difference(std::span<const std::byte> packet, Scalar weight, std::span<const Scalar> own,
                             std::span<Scalar> into) {
  if (packet.size() != into.size_bytes() || own.size() != into.size()) return false;
  Scalar* __restrict sum = into.data();
  for (std::size_t k = 0; k < into.size(); ++k) sum[k] += weight * (read_scalar<Scalar>(packet, k) - own[k]);
  return true;
}

template <class Scalar>
bool average_full(std::span<const std::byte> packet, std::span<Scalar> into) {
  if (packet.size() != into.size_bytes()) return false;
  Scalar* __restrict mean = into.data();
  for (std::size_t k = 0; k < into.size(); ++k)
    mean[k] = Scalar(0.5) * (mean[k] + read_scalar<Scalar>(packet, k));
  return true;
}

#define HEARSAY_FULL_PRECISION(Scalar)                                                                       \
  template void write_full<Scalar>(std::span<const Scalar>, PacketBuffer&);                                  \
  template bool read_full<Scalar>(std::span<const std::byte>, std::span<Scalar>);                            \
  template bool add_full<Scalar>(std::span<const std::byte>, Scalar, std::span<Scalar>);                     \
  template bool add_weighted_difference<Scalar>(std::span<const std::byte>, Scalar, std::span<const Scalar>, \
                                                std::span<Scalar>);                                          \
  template bool average_full<Scalar>(std::span<const std::byte>, std::span<Scalar>);
HEARSAY_FULL_PRECISION(float)
HEARSAY_FULL_PRECISION(double)
#undef HEARSAY_FULL_PRECISION

}  // namespace hearsay

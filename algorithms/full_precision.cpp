#include "algorithms/full_precision.hpp"

#include <bit>
#include <cstring>

namespace hearsay {

static_assert(std::endian::native == std::endian::little, "the wire is little-endian");

namespace {

template <class Scalar>
Scalar scalar_at(const std::byte* bytes, std::size_t index) {
  Scalar value;
  std::memcpy(&value, bytes + index * sizeof(Scalar), sizeof(Scalar));
  return value;
}

}  // namespace

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
bool add_full(std::span<const std::byte> packet, std::span<Scalar> into) {
  if (packet.size() != into.size_bytes()) return false;
  const std::byte* __restrict message = packet.data();
  Scalar* __restrict sum = into.data();
  for (std::size_t k = 0; k < into.size(); ++k) sum[k] += scalar_at<Scalar>(message, k);
  return true;
}

template <class Scalar>
bool add_weighted_difference(std::span<const std::byte> packet, Scalar weight, std::span<const Scalar> own,
                             std::span<Scalar> into) {
  if (packet.size() != into.size_bytes() || own.size() != into.size()) return false;
  const std::byte* __restrict message = packet.data();
  const Scalar* __restrict x = own.data();
  Scalar* __restrict sum = into.data();
  for (std::size_t k = 0; k < into.size(); ++k) sum[k] += weight * (scalar_at<Scalar>(message, k) - x[k]);
  return true;
}

#define HEARSAY_FULL_PRECISION(Scalar)                                                                       \
  template void write_full<Scalar>(std::span<const Scalar>, PacketBuffer&);                                  \
  template bool read_full<Scalar>(std::span<const std::byte>, std::span<Scalar>);                            \
  template bool add_full<Scalar>(std::span<const std::byte>, std::span<Scalar>);                             \
  template bool add_weighted_difference<Scalar>(std::span<const std::byte>, Scalar, std::span<const Scalar>, \
                                                std::span<Scalar>);
HEARSAY_FULL_PRECISION(float)
HEARSAY_FULL_PRECISION(double)
#undef HEARSAY_FULL_PRECISION

}  // namespace hearsay

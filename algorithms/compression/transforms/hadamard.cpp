#include "algorithms/compression/transforms/hadamard.hpp"

#include <cmath>

#include "algorithms/compression/transforms/hadamard_kernels.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

template <class Scalar>
Scalar orthonormal_scale(std::size_t n) {
  return static_cast<Scalar>(1.0 / std::sqrt(static_cast<double>(n)));
}

template <class Scalar>
Scalar with_sign(Scalar value, ElementKey key, std::size_t index) {
  return element_bits(key, static_cast<std::uint32_t>(index)) >> 31 ? -value : value;
}

template <class Scalar>
void butterflies(std::span<Scalar> x) {
  for (std::size_t distance = 1; distance < x.size(); distance *= 2)
    for (std::size_t group = 0; group < x.size(); group += 2 * distance)
      for (std::size_t i = group; i < group + distance; ++i) {
        const Scalar a = x[i];
        const Scalar b = x[i + distance];
        x[i] = a + b;
        x[i + distance] = a - b;
      }
}

void check_sizes(std::size_t vector, std::size_t block) {
  ensure(std::has_single_bit(block) && vector <= block, "a Hadamard block is a power of two that holds it");
}

}  // namespace

template <class Scalar>
void signed_hadamard_plain(std::span<const Scalar> in, ElementKey key, std::uint32_t first,
                           std::span<Scalar> out) {
  const Scalar scale = orthonormal_scale<Scalar>(out.size());
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = with_sign(scale * in[i], key, first + i);
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(in.size()), out.end(), Scalar(0));
  butterflies(out);
}

template <class Scalar>
void hadamard_signed_plain(std::span<Scalar> in, ElementKey key, std::uint32_t first, std::span<Scalar> out) {
  const Scalar scale = orthonormal_scale<Scalar>(in.size());
  for (Scalar& value : in) value = scale * value;
  butterflies(in);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = with_sign(in[i], key, first + i);
}

template <>
void signed_hadamard<float>(std::span<const float> in, ElementKey key, std::uint32_t first,
                            std::span<float> out) {
  check_sizes(in.size(), out.size());
  if (!has_hadamard_kernel(out.size())) return signed_hadamard_plain(in, key, first, out);
  const float scale = orthonormal_scale<float>(out.size());
  if (in.size() == out.size()) return hadamard_fast(in.data(), out, scale, &key, first);
  if (in.data() != out.data()) std::copy(in.begin(), in.end(), out.begin());
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(in.size()), out.end(), 0.0f);
  hadamard_fast(out.data(), out, scale, &key, first);
}

template <>
void hadamard_signed<float>(std::span<float> in, ElementKey key, std::uint32_t first, std::span<float> out) {
  check_sizes(out.size(), in.size());
  if (!has_hadamard_kernel(in.size())) return hadamard_signed_plain(in, key, first, out);
  hadamard_fast(in.data(), in, orthonormal_scale<float>(in.size()), nullptr, 0);
  flip_signs_fast(in.data(), key, first, out);
}

template <>
void signed_hadamard<double>(std::span<const double> in, ElementKey key, std::uint32_t first,
                             std::span<double> out) {
  check_sizes(in.size(), out.size());
  signed_hadamard_plain(in, key, first, out);
}

template <>
void hadamard_signed<double>(std::span<double> in, ElementKey key, std::uint32_t first,
                             std::span<double> out) {
  check_sizes(out.size(), in.size());
  hadamard_signed_plain(in, key, first, out);
}

#define HEARSAY_INSTANTIATE(Scalar)                                                               \
  template void signed_hadamard_plain<Scalar>(std::span<const Scalar>, ElementKey, std::uint32_t, \
                                              std::span<Scalar>);                                 \
  template void hadamard_signed_plain<Scalar>(std::span<Scalar>, ElementKey, std::uint32_t,       \
                                              std::span<Scalar>);
HEARSAY_INSTANTIATE(float)
HEARSAY_INSTANTIATE(double)
#undef HEARSAY_INSTANTIATE

}  // namespace hearsay

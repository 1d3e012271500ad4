#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace hearsay {

/// |z| as an integer: the bit patterns of non-negative floating-point numbers are ordered as the numbers are,
/// NaN above all.
template <class Scalar>
using Magnitude = std::conditional_t<sizeof(Scalar) == 4, std::uint32_t, std::uint64_t>;

template <class Scalar>
Magnitude<Scalar> magnitude(Scalar z) {
  return std::bit_cast<Magnitude<Scalar>>(z) & (~Magnitude<Scalar>{0} >> 1);
}

template <class Scalar>
Magnitude<Scalar> largest_magnitude_of(std::span<const Scalar> z);

/// The coordinates that were found: index and magnitude, ascending by index.
template <class Scalar>
struct Found {
  std::span<std::uint32_t> indices;
  std::span<Magnitude<Scalar>> magnitudes;  ///< of the same size; or empty if they are not wanted
};

/// How much more room `found` must have than there are coordinates to find: vectors are stored whole.
constexpr std::size_t found_padding = 64;

/// Finds the coordinates with a magnitude of at least `border`. Returns their number; if they are more than
/// `most`, some number above `most`, and not all have been written. `found` has room for most +
/// found_padding.
template <class Scalar>
std::size_t find_at_least(std::span<const Scalar> z, Magnitude<Scalar> border, std::size_t most,
                          Found<Scalar> found);

/// The same, number by number; the kernel for float is compared with it.
template <class Scalar>
std::size_t find_at_least_plain(std::span<const Scalar> z, Magnitude<Scalar> border, std::size_t most,
                                Found<Scalar> found);

}  // namespace hearsay

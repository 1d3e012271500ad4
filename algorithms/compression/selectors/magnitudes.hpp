#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace hearsay {

/// The type of |z| as an integer. The bit patterns of non-negative floating-point numbers are ordered as the
/// numbers are, with NaN above all.
template <class Scalar>
using Magnitude = std::conditional_t<sizeof(Scalar) == 4, std::uint32_t, std::uint64_t>;

template <class Scalar>
Magnitude<Scalar> magnitude(Scalar z) {
  return std::bit_cast<Magnitude<Scalar>>(z) & (~Magnitude<Scalar>{0} >> 1);
}

/// The largest magnitude of z; 0 if z is empty. Its kernel for float takes the widest vectors.
template <class Scalar>
Magnitude<Scalar> largest_magnitude_of(std::span<const Scalar> z);

/// The same in plain C++; tests compare the kernel for float with it.
template <class Scalar>
Magnitude<Scalar> largest_magnitude_plain(std::span<const Scalar> z);

/// The place for coordinates that are found: index and magnitude, ascending by index.
template <class Scalar>
struct Found {
  std::span<std::uint32_t> indices;
  std::span<Magnitude<Scalar>> magnitudes;  ///< as many as indices; empty if they are not wanted
};

/// The room that `Found` must have beyond the coordinates to find, since vectors are stored whole.
constexpr std::size_t found_padding = 64;

/// Finds the coordinates with a magnitude of at least `border`. Returns how many there are. If there are more
/// than `most`, it returns some number above `most`, and not all of them have been written. `found` has room
/// for most + found_padding.
template <class Scalar>
std::size_t find_at_least(std::span<const Scalar> z, Magnitude<Scalar> border, std::size_t most,
                          Found<Scalar> found);

/// The same in plain C++; tests compare the kernel for float with it.
template <class Scalar>
std::size_t find_at_least_plain(std::span<const Scalar> z, Magnitude<Scalar> border, std::size_t most,
                                Found<Scalar> found);

}  // namespace hearsay

#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay {

// Randomised Hadamard transforms of one block of n = 2^m numbers. H is the Walsh-Hadamard matrix in
// Sylvester's order scaled by 1/sqrt(n), so that H H = I. D is a diagonal of signs, the top bits of
// element_bits(key, first + i).
///
// Rounding   first the product with Scalar(1/sqrt(n)) (exact for even m), then the m levels of butterflies a
//            + b, a - b at distances 1, 2, 4, ..., n/2. These are additions only, in a fixed order, so the
//            bits are the same on every instruction set. Since scaling comes first, no norm grows and
//            intermediate values stay within the range.

/// out = H D in, with `in` padded with zeros to out.size(), a power of two. `in` and `out` may overlap only
/// if they begin at the same address.
template <class Scalar>
void signed_hadamard(std::span<const Scalar> in, ElementKey key, std::uint32_t first, std::span<Scalar> out);

/// out = the first out.size() entries of D H in. `in` is overwritten; `out` may be its front.
template <class Scalar>
void hadamard_signed(std::span<Scalar> in, ElementKey key, std::uint32_t first, std::span<Scalar> out);

template <>
void signed_hadamard<float>(std::span<const float> in, ElementKey key, std::uint32_t first,
                            std::span<float> out);
template <>
void signed_hadamard<double>(std::span<const double> in, ElementKey key, std::uint32_t first,
                             std::span<double> out);
template <>
void hadamard_signed<float>(std::span<float> in, ElementKey key, std::uint32_t first, std::span<float> out);
template <>
void hadamard_signed<double>(std::span<double> in, ElementKey key, std::uint32_t first,
                             std::span<double> out);

/// The same in plain C++; tests compare the kernels with these.
template <class Scalar>
void signed_hadamard_plain(std::span<const Scalar> in, ElementKey key, std::uint32_t first,
                           std::span<Scalar> out);
template <class Scalar>
void hadamard_signed_plain(std::span<Scalar> in, ElementKey key, std::uint32_t first, std::span<Scalar> out);

/// Returns the key of the signs for the seed of a message.
inline ElementKey sign_key(std::uint64_t seed) {
  return {static_cast<std::uint32_t>(seed >> 32), static_cast<std::uint32_t>(seed)};
}

/// How a vector is cut into blocks of `block` coordinates, a power of two. The last block is padded with
/// zeros, but only to the next power of two.
struct HadamardBlocks {
  std::size_t block;

  /// The size of all blocks together, padding included.
  std::size_t padded(std::size_t dimension) const {
    const std::size_t rest = dimension % block;
    return dimension - rest + (rest ? std::bit_ceil(rest) : 0);
  }
  /// Calls visit(first coordinate, number of coordinates, padded size) for every block, in ascending order.
  template <class Visit>
  void for_each(std::size_t dimension, Visit visit) const {
    for (std::size_t begin = 0; begin < dimension; begin += block) {
      const std::size_t size = std::min(block, dimension - begin);
      visit(begin, size, std::bit_ceil(size));
    }
  }
};

}  // namespace hearsay

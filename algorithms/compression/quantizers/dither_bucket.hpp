#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/compression/quantizers/level_set.hpp"

namespace hearsay {

// The arithmetic of dithering, one bucket at a time, in plain C++. Every kernel must reproduce it bit for
// bit.

/// The codes of a dither: integers q in [-levels, levels], `bits` wide. |q| is the number of a level, the
/// sign of q is that of the value (level_set.hpp). Rounding uses `fraction_bits` random bits.
struct DitherCode {
  explicit DitherCode(const LevelSet& set);

  std::int32_t levels;
  LevelSpacing spacing;
  std::vector<double> values;  ///< 0 = l_0 < ... < l_levels = 1; empty for equal spacing
  /// The width of a code, two's complement: the fewest bits that hold 2 levels + 1 states.
  unsigned bits;
  unsigned fraction_bits;  ///< 24; fewer from 128 levels on, so that places fit an int32

  /// The size of the codes of a bucket of `size` coordinates, in bytes.
  std::size_t bytes(std::size_t size) const { return (size * bits + 7) / 8; }
};

/// The numbers with which a bucket is rounded. `step` travels in the message, and a decoder needs nothing
/// else.
///
///   equal spacing   `step` is the distance between levels, C(z)_i = q_i step. `gain` is at least
///                   2^fraction_bits / (step lift). `lift` is a power of two: 1, except for steps so small
///                   that `gain` would overflow.
///   otherwise       `step` is the norm, C(z)_i = sign(q_i) l_|q_i| step. For powers of two, `gain` is 1 over
///                   the smallest level. `lift` is 1.
template <class Scalar>
struct DitherStep {
  Scalar step;
  Scalar gain;
  Scalar lift;
};

/// A bucket that is being encoded.
template <class Scalar>
struct DitherBucket {
  std::span<const Scalar> z;
  std::uint32_t first;         ///< the index of z[0] in the vector
  std::span<std::byte> bytes;  ///< the place of its codes
  Scalar* into;                ///< if not null, += decoded(q); as many as z
  DitherStep<Scalar> step;
};

/// Returns the step of a bucket. `norm` is finite, not negative and within the range of Scalar. For equal
/// spacing the step is norm / levels, rounded toward 0, so that a coordinate as large as the norm always gets
/// the code `levels`. A subnormal step is rounded up instead, since clipping such a coordinate would then
/// cost more than an ulp. For any other spacing the step is the norm, rounded up, so that no coordinate is
/// beyond it.
template <class Scalar>
DitherStep<Scalar> dither_step(double norm, const DitherCode& code);

/// Reads a code: two's complement in the places of places.hpp.
std::int32_t read_code(std::span<const std::byte> bytes, const DitherCode& code, std::size_t index);
/// Writes a code. Its place must hold zeros.
void write_code(std::span<std::byte> bytes, const DitherCode& code, std::size_t index, std::int32_t q);

/// Returns the place R of z on the scale of level numbers, in units of 2^-fraction_bits. The code is then q =
/// floor(R + u), so it is rounded up with probability frac(R), exactly.
///
///   equal spacing   R = z gain, rounded to nearest even and clipped to [-levels, levels]
///   otherwise       R = sign(z) (j + (r - l_j) / (l_j+1 - l_j)), rounded to nearest even; r = |z| / step and
///                   l_j <= r < l_j+1 are rounded to Scalar
template <class Scalar>
std::int32_t fixed_point(Scalar z, const DitherStep<Scalar>& step, const DitherCode& code);

/// Returns q = floor(R + u), with u from the hash of the index of z in the vector.
template <class Scalar>
std::int32_t random_code(Scalar z, const DitherStep<Scalar>& step, const DitherCode& code, ElementKey key,
                         std::uint32_t index);

/// The value of a code.
template <class Scalar>
Scalar decoded(std::int32_t q, Scalar step, const DitherCode& code);

/// Writes the codes of the bucket and, if `into` is not null, adds their values to it.
template <class Scalar>
void encode_bucket(const DitherBucket<Scalar>& bucket, const DitherCode& code, ElementKey key);

/// into += scale decoded(q), rounded after each operation.
template <class Scalar>
void accumulate_bucket(std::span<const std::byte> bytes, const DitherCode& code, Scalar step, Scalar scale,
                       std::span<Scalar> into);

/// True if every code of the bucket is in [-levels, levels] and all unused bits are 0.
bool bucket_valid(std::span<const std::byte> bytes, const DitherCode& code, std::size_t size);

}  // namespace hearsay

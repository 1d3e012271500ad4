#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "algorithms/compression/seam/compressor.hpp"

namespace hearsay {

/// The first stage: coordinates to coefficients and back. Its random numbers come from a 64-bit seed that
/// travels in the message, so that both ends use the same. If a block (or layer) has NaN or Inf, so has its
/// output.
template <class Scalar>
class Transform {
 public:
  virtual ~Transform() = default;

  virtual std::string spelling() const = 0;
  /// The traits of inverse(forward(z)). Lossless transforms (all but clip) have omega 0 and contraction 1.
  virtual Traits traits(std::size_t dimension) const = 0;
  virtual std::size_t coefficients(std::size_t dimension) const = 0;
  virtual bool uses_seed() const = 0;
  /// True if a coefficient mixes many coordinates. Bounds per coordinate then hold for independent errors of
  /// mean 0 only.
  virtual bool mixes() const { return uses_seed(); }
  /// True if the coefficients of a layer stand where its coordinates stood. Otherwise there are no layers
  /// after this stage.
  virtual bool keeps_layers() const { return !mixes(); }
  /// An upper bound of ||forward(z)||^2 / ||z||^2. The inverse never increases the norm of an error; if the
  /// bound is above 1, it divides the expected square of uncorrelated errors of mean 0 by as much.
  virtual double expansion() const { return 1.0; }
  /// Writes the coefficients of `in`. `out` has coefficients(in.size()) entries and does not overlap `in`.
  virtual void forward(std::span<const Scalar> in, std::uint64_t seed, std::span<Scalar> out) = 0;
  /// Writes to `out` the part of forward(in) that is due to `latest`, the last addend of `in`. False if that
  /// part is not known; all of `in` then counts as latest. `out` has coefficients(in.size()) entries and
  /// overlaps neither input.
  virtual bool forward_latest(std::span<const Scalar> in, std::span<const Scalar> latest,
                              std::span<Scalar> out) {
    (void)in, (void)latest, (void)out;
    return false;
  }
  /// The inverse of `forward`, linear in `in`. `in` has coefficients(out.size()) entries and may be
  /// overwritten.
  virtual void inverse(std::span<Scalar> in, std::uint64_t seed, std::span<Scalar> out) = 0;
};

}  // namespace hearsay

#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "algorithms/compression/seam/compressor.hpp"

namespace hearsay {

/// The first stage: coordinates to coefficients and back. Its randomness comes from a 64-bit seed that
/// travels in the message, so that both ends use the same. If the input has NaN or Inf, no output of that
/// block (or layer) is finite.
template <class Scalar>
class Transform {
 public:
  virtual ~Transform() = default;

  virtual std::string spelling() const = 0;
  /// The traits of inverse(forward(z)): lossless transforms (all but clip) state omega 0 and contraction 1.
  virtual Traits traits(std::size_t dimension) const = 0;
  virtual std::size_t coefficients(std::size_t dimension) const = 0;
  virtual bool uses_seed() const = 0;
  /// True if a coefficient mixes many coordinates. Behind such a stage there are no layers, and no bounds per
  /// coordinate (but for errors that are independent and have mean 0).
  virtual bool mixes() const { return uses_seed(); }
  /// The squared norm of the coefficients is at most this many times ||z||^2. Their errors never grow on the
  /// way back; if this is above 1, uncorrelated errors with mean 0 shrink by as much.
  virtual double expansion() const { return 1.0; }
  /// `out` has coefficients(in.size()) entries and does not overlap `in`. May use scratch space of its own.
  virtual void forward(std::span<const Scalar> in, std::uint64_t seed, std::span<Scalar> out) = 0;
  /// Writes to `out` the part of forward(in) that comes from `latest`, the last addend of `in`. False if that
  /// part is not known; all of `in` then counts as latest. `out` has the size of forward's and overlaps
  /// neither.
  virtual bool forward_latest(std::span<const Scalar> in, std::span<const Scalar> latest,
                              std::span<Scalar> out) {
    (void)in, (void)latest, (void)out;
    return false;
  }
  /// `in` has coefficients(out.size()) entries; it may be destroyed.
  virtual void inverse(std::span<Scalar> in, std::uint64_t seed, std::span<Scalar> out) = 0;
};

}  // namespace hearsay

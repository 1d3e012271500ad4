#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "algorithms/compression/seam/compressor.hpp"

namespace hearsay {

/// The first stage: coordinates to coefficients and back. What is random about it comes from a 64-bit seed that travels
/// in the message, so that both ends use the same. NaN and Inf in the input leave no output of their block (or layer) finite.
template <class Scalar>
class Transform {
 public:
  virtual ~Transform() = default;

  virtual std::string spelling() const = 0;
  /// Of inverse(forward(z)): lossless ones (all but clip) state omega 0 and contraction 1.
  virtual Traits traits(std::size_t dimension) const = 0;
  virtual std::size_t coefficients(std::size_t dimension) const = 0;
  virtual bool uses_seed() const = 0;
  /// True where a coefficient stands for many coordinates: layers end here, and so do bounds that hold coordinate by coordinate
  /// (but for errors that are independent and have mean 0).
  virtual bool mixes() const { return uses_seed(); }
  /// At most this many times ||z||^2 is the squared norm of the coefficients. An error of theirs never grows on the way back;
  /// where this is above 1, uncorrelated errors with mean 0 shrink by as much.
  virtual double expansion() const { return 1.0; }
  /// `out` has coefficients(in.size()) entries and does not overlap `in`. May use scratch space of its own.
  virtual void forward(std::span<const Scalar> in, std::uint64_t seed, std::span<Scalar> out) = 0;
  /// What `latest`, the last of the addends of `in`, is of forward(in), where that can be said; else false, and
  /// all of `in` is as new as any. `out` has the size of forward's and overlaps neither.
  virtual bool forward_latest(std::span<const Scalar> in, std::span<const Scalar> latest,
                              std::span<Scalar> out) {
    (void)in, (void)latest, (void)out;
    return false;
  }
  /// `in` has coefficients(out.size()) entries; it may be destroyed.
  virtual void inverse(std::span<Scalar> in, std::uint64_t seed, std::span<Scalar> out) = 0;
};

}  // namespace hearsay

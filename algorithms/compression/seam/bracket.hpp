#pragma once

#include <span>
#include <vector>

#include "algorithms/compression/seam/compressor.hpp"

namespace hearsay {

/// The two numbers to which a coordinate may be rounded: `high` with probability_up, else `low`. They are
/// exactly those of the encoder, floating-point roundings included. So the mean low + p (high - low) and the
/// variance p (1 - p) (high - low)^2 are known without sampling.
struct Bracket {
  double low;
  double high;
  double probability_up;

  double mean() const { return low + probability_up * (high - low); }
  double variance() const { return probability_up * (1.0 - probability_up) * (high - low) * (high - low); }
};

/// A compressor that rounds each coordinate at random to one of two neighbors.
template <class Scalar>
class RoundingCompressor : public Compressor<Scalar> {
 public:
  /// Returns the bracket of every coordinate; empty if `vector` cannot be encoded.
  virtual std::vector<Bracket> brackets(std::span<const Scalar> vector) const = 0;
  /// True if no bracket depends on other coordinates: those of a part are then those of the whole.
  virtual bool rounds_each_alone() const { return false; }
};

}  // namespace hearsay

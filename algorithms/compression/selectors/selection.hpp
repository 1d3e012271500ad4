#pragma once

#include <cstddef>
#include <string>

#include "algorithms/arithmetic/segments.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// How many coordinates a selector keeps: a number (k=100) or a share of the dimension (1%).
class SelectionSize {
 public:
  /// Reads the arguments `k` and `share`. Misuse unless exactly one is given, and for a k above the dimension
  /// of `segments`.
  static SelectionSize parse(const Arguments& arguments, const SegmentTable& segments);

  /// Returns k for a vector of `dimension` entries: ceil(share d), at least 1 and at most d. The share counts
  /// as the decimal that was written (7% of 100 is 7).
  std::size_t of(std::size_t dimension) const;
  /// "k=100" or "1%".
  std::string spelling() const;

 private:
  std::size_t count_ = 0;  ///< 0 if share_ applies
  double share_ = 0.0;
};

}  // namespace hearsay

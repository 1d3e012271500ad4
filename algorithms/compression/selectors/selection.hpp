#pragma once

#include <cstddef>
#include <string>

#include "algorithms/arithmetic/segments.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// How many coordinates a selector keeps: a number (k=100) or a share of the dimension (1%).
class SelectionSize {
 public:
  /// Reads the arguments `k` and `share`. A k above the dimension that `segments` state is refused.
  static SelectionSize parse(const Arguments& arguments, const SegmentTable& segments);

  /// k for a vector of `dimension` entries: ceil(share d), at least 1 and at most d. The share is taken as
  /// the decimal that was written (7% of 100 is 7).
  std::size_t of(std::size_t dimension) const;
  /// "k=100" or "1%".
  std::string spelling() const;

 private:
  std::size_t count_ = 0;  ///< 0: the share counts
  double share_ = 0.0;
};

}  // namespace hearsay

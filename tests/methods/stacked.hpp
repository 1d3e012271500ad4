#pragma once

#include "tests/support/cluster.hpp"

namespace hearsay::test {

/// How far a distributed run is from the whole network written as matrices.
struct StackedComparison {
  bool known = true;       ///< the reference knows the method
  double deviation = 0.0;  ///< largest difference of an entry of X, relative to the largest entry
  /// Share of the entries of decoded packets that are not what the compressor makes of the reference's own
  /// vector; a rounding that fell the other way, as long as there are few.
  double flips = 0.0;
  bool replayed = true;  ///< all that was compressed is on record; a packet for nobody is not
};

/// X (d x n, a column a peer) by the matrix recursion of the experiment's method, replaying the decoded
/// packets of the recording, beside the recording itself.
template <class Scalar>
StackedComparison compare_with_stacked(const Experiment<Scalar>& experiment,
                                       const Recording<Scalar>& recording);

}  // namespace hearsay::test

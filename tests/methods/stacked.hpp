#pragma once

#include "tests/support/cluster.hpp"

namespace hearsay::test {

/// How far a distributed run is from the matrix recursion of the whole network.
struct StackedComparison {
  bool known = true;       ///< the reference knows the method
  double deviation = 0.0;  ///< largest difference of an entry of X, relative to the largest entry
  /// Share of the entries of decoded packets that differ from those that the compressor makes of the
  /// reference's own vector. A few such entries are roundings that fell the other way.
  double flips = 0.0;
  bool replayed = true;  ///< all packets were recorded; without receivers they are not
};

/// Compares a recording with the matrix recursion of the experiment's method on X (d x n, a column per peer).
/// The recursion replays the decoded packets of the recording. It computes in double: a run in float is
/// compared with what exact numbers would have made of its gradients and messages.
template <class Scalar>
StackedComparison compare_with_stacked(const Experiment<Scalar>& experiment,
                                       const Recording<Scalar>& recording);

class RecordedRun;
/// The same for a run that is already seen in double.
StackedComparison compare_with_stacked(RecordedRun& run);

}  // namespace hearsay::test

#pragma once

#include "runtime/simulator/retiming.hpp"

namespace hearsay {

// A run whose model is only a size (model.kind = "size(7e9)"): how long it takes and what it sends, of any
// synchronous method on any network, without the memory and the arithmetic of its model.
//
// What a method asks of its peer does not depend on the dimension d, but for the lengths of its messages, and
// these are affine in d. So the method trains two small quadratics, of dimensions a and b = 2 a, and every
// message of the run has
//
//     bytes(d) = bytes(a) + (bytes(b) - bytes(a)) (d - a) / (b - a)
//
// a is a multiple of what messages are cut into: of the peers and fragments that share a vector in full
// precision, of 8,192 coordinates if it is compressed. So this is exact for compressors whose size does not
// depend on the data, if buckets and shares divide 8,192 (or the whole vector is one bucket) and a divides d;
// else it is off by the rounding of a bucket. If the size depends on the data, it is that of the quadratics'
// data. A d of at most b is trained itself.
//
// Departs from a real run: a frame of one holds 2^32 bytes, and an index has 32 bits; here both may be
// longer.

/// True if model.kind is a size.
bool is_only_a_size(const RunSettings& settings);

/// The run and its traces. Its evaluations have times and bytes, but no loss.
template <class Scalar>
struct SizedRun {
  Experiment<Scalar> experiment;
  TracedRun<Scalar> traced;
};

/// Throws Misuse for settings that need a model: a target loss, a computing time that would have to be
/// measured, an asynchronous method, or one that sends matrices.
template <class Scalar>
SizedRun<Scalar> sized_run(const RunSettings& settings);

}  // namespace hearsay

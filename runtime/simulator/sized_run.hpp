#pragma once

#include "runtime/simulator/retiming.hpp"

namespace hearsay {

// A run whose model is only a size (model.kind = "size(7e9)"): how long it takes and what it sends, of any
// synchronous method on any network, without the memory and the arithmetic of its model.
//
// What a method asks of its peer does not depend on the dimension d, but for the lengths of its messages,
// which grow in proportion to d. So the method trains two small quadratics, of dimensions a and b = 2 a, by
// short steps, and every message of the run has
//
//     bytes(d) = bytes(a) + (bytes(b) - bytes(a)) (d - a) / (b - a)
//
// a is a multiple of the parts in which peers and fragments share a vector in full precision; it is 8,192, or
// more, if messages are compressed. This is exact if buckets and chunks divide a and a divides d. A
// compressor whose own bound of bytes(d) is off by more than 1 % is refused. If the size of a message depends
// on the data, it is that of the quadratics' data. A d of at most b is trained itself.
//
// Departs from a real run: its coordinates are numbered with 31 bits; here there may be more of them.

/// True if model.kind is a size.
bool is_only_a_size(const RunSettings& settings);

/// True if the run would be one of its model's size, if model.kind said so: nothing else asks for a model or
/// data, and its messages are known beforehand.
bool may_be_sized(const RunSettings& settings);

/// The run and its traces. Its evaluations have times and bytes, but no loss.
template <class Scalar>
struct SizedRun {
  Experiment<Scalar> experiment;
  TracedRun<Scalar> traced;
};

/// Throws Misuse for settings that need a model or data, for methods whose messages are not known beforehand
/// (asynchronous, of low rank, triggered), and for what is too large for a record.
template <class Scalar>
SizedRun<Scalar> sized_run(const RunSettings& settings);

}  // namespace hearsay

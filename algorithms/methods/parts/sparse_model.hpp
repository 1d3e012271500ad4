#pragma once

#include <span>

#include "algorithms/seam/algorithm.hpp"

namespace hearsay {

// A model with many zeros, as a message, little-endian:
//
//   u32, u32s, scalars   how many entries are not 0, their indices, ascending, and their values; if that is
//   scalars              shorter than all entries, which is the message otherwise
//   nothing              in iteration 1, since all know x_0

/// The hub posts its model to the workers of the round.
template <class Scalar>
void tell_sparse_model(Iteration<Scalar>& it, const Vector<Scalar>& model);

/// A worker takes the hub's model. `packets` is what came from the hub. False if nothing came: the hub is
/// gone. Accepts any bytes, and reports those that are no such message.
template <class Scalar>
bool hear_sparse_model(Iteration<Scalar>& it, std::span<const PacketRef> packets, Vector<Scalar>& model);

}  // namespace hearsay

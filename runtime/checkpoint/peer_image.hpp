#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/peer/peer.hpp"

namespace hearsay {

// A peer between two iterations, as bytes. Little-endian; vectors as they lie in memory:
//
//   u64 completed iterations
//   u8, u64 whether there was a verdict, and the newest evaluation that was answered
//   u8, u64 whether the end is known, and after how many iterations
//   u64     after how many iterations each a verdict has said that checkpoints are due; 0: none has
//   11 u64  PeerCounters, in the order of their rows (counters.hpp)
//   u32     of those who were told what is published: how many; of each, u32 id, u64 digest
//   u32     of messages that iterations to come will ask for: how many; of each, u64 iteration, u32 slot,
//           u32 sender, u32 length, and its bytes
//   and     everything the method names (StateVisitor) but scratch, in its order, to the end: u8 kind, u16
//           length and bytes of its name, u32 owner (of a replica), u64 length in bytes, and its bytes
//
// Minibatches, and all other draws, are keyed by the iteration: nothing of them is saved. Meters belong to
// the driver.

/// The image of a peer in the state checkpoint_due. Synchronous methods only: what is under way between two
/// peers of an asynchronous method is in no image, so no set of images would be one instant of the run.
template <class Scalar>
std::vector<std::byte> image_of(Peer<Scalar>& peer);

/// Makes a peer that was just made, and is not started, equal to the one that the image was taken of. Both
/// are made from the same input, but `iterations` may be more. Total on arbitrary bytes: false if they are no
/// image of such a peer, which is then not to be used.
template <class Scalar>
bool restore(Peer<Scalar>& peer, std::span<const std::byte> image, Waiting waiting);

}  // namespace hearsay

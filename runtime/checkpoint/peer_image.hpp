#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "runtime/foundation/byte_parts.hpp"
#include "runtime/peer/peer_state.hpp"

namespace hearsay {

// The image of a peer between two iterations. Little-endian; vectors as they lie in memory:
//
//     u64     number of completed iterations
//     u8, u64 1 if a verdict was received, else 0; the newest evaluation with a verdict
//     u8, u64 1 if the end of the run is known, else 0; the last iteration
//     u64     the announced number of iterations between checkpoints; 0: none
//     11 u64  PeerCounters, in the order of their rows (counters.hpp)
//     u32     number of peers that were told the digest of what is published; of each, u32 id, u64 digest
//     u32     number of messages that later iterations need; of each, u64 iteration, u32 slot, u32 sender,
//             its length (byte_length.hpp), u32 below 4 GiB, and its bytes
//     the rest: everything that the method names (StateVisitor) except scratch, in its order; of each, u8
//             kind, u16 length and bytes of its name, u32 owner (of a replica), u64 length in bytes, and its
//             bytes
//
// All random draws, those of minibatches too, are keyed by the iteration, so nothing of them is saved. The
// driver saves the meters.

/// Returns the image of a peer. Precondition: the peer is in the state checkpoint_due. Synchronous methods
/// only: messages under way between two peers of an asynchronous method are in no image, so a set of images
/// would not be one state of the run.
///
/// What is long stays where it is: the peer must not change as long as the parts are used.
template <class Scalar>
ByteParts image_parts(Peer<Scalar>& peer);
/// The same in one piece.
template <class Scalar>
std::vector<std::byte> image_of(Peer<Scalar>& peer) {
  return image_parts(peer).joined();
}

/// Makes a new peer, which is not started, equal to the peer that the image was taken of. Both are made from
/// the same input, except that `iterations` may be larger. `image` may be arbitrary bytes. Returns false if
/// it is no image of such a peer; the peer must not be used then.
template <class Scalar>
bool restore(Peer<Scalar>& peer, std::span<const std::byte> image, InboxOnRestore inbox);

}  // namespace hearsay

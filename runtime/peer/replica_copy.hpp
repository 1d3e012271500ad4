#pragma once

#include <cstddef>
#include <span>

#include "algorithms/compression/seam/packet.hpp"
#include "algorithms/seam/algorithm.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

// What a method publishes, in full precision: the scalars of its published vectors as they lie in memory, one
// vector behind the other, in the order in which the method names them.

/// How many bytes that is; 0 if the method publishes nothing.
template <class Scalar>
std::size_t published_bytes(Algorithm<Scalar>& algorithm);

/// Writes it into the packet, in place of what was there.
template <class Scalar>
void copy_published(Algorithm<Scalar>& algorithm, PacketBuffer& packet);

/// Makes this peer's replica of what `owner` publishes equal to the copy. False, and nothing has changed, if
/// there is no such replica, or the copy has another length or is not finite.
template <class Scalar>
bool overwrite_replica(Algorithm<Scalar>& algorithm, PeerId owner, std::span<const std::byte> copy);

}  // namespace hearsay

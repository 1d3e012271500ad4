#pragma once

#include <cstddef>
#include <span>

#include "algorithms/compression/seam/packet.hpp"
#include "algorithms/seam/algorithm.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

// A copy of what a method publishes, in full precision: the scalars of its published vectors as they lie in
// memory, vector after vector, in the order in which the method names them (Algorithm::visit_state).

/// Returns the size of such a copy in bytes; 0 if the method publishes nothing.
template <class Scalar>
std::size_t published_bytes(Algorithm<Scalar>& algorithm);

/// Writes the copy into the packet, in place of the packet's content.
template <class Scalar>
void copy_published(Algorithm<Scalar>& algorithm, PacketBuffer& packet);

/// Overwrites this peer's replica of what `owner` publishes by the copy. False, and nothing has changed, if
/// there is no such replica, the copy has another length, or some of its scalars are not finite.
template <class Scalar>
bool overwrite_replica(Algorithm<Scalar>& algorithm, PeerId owner, std::span<const std::byte> copy);

}  // namespace hearsay

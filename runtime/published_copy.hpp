#pragma once

#include <cstddef>
#include <span>

#include "algorithms/algorithm.hpp"
#include "algorithms/compression/packet.hpp"

namespace hearsay {

/// Everything that a method publishes, in full precision: its vectors one after the other, as they lie in memory. Nothing, of
/// methods without replicas.
template <class Scalar>
void write_published(Algorithm<Scalar>& algorithm, PacketBuffer& out);

/// Makes this peer's replica of what `owner` publishes equal to it. False where the bytes are not of its size; it is then what
/// it was.
template <class Scalar>
bool read_replica(Algorithm<Scalar>& algorithm, PeerId owner, std::span<const std::byte> bytes);

}  // namespace hearsay

#pragma once

#include <cstddef>
#include <span>

#include "algorithms/compression/seam/packet.hpp"

namespace hearsay {

// A vector in full precision: its scalars, little-endian, nothing else. The message of the uncompressed
// methods and of the compressor `none`. The readers return false, and change nothing, unless the packet has
// exactly into.size() scalars. A packet may start at any address.

/// Writes `vector` to `out`, replacing its contents.
template <class Scalar>
void write_full(std::span<const Scalar> vector, PacketBuffer& out);

/// into = message
template <class Scalar>
bool read_full(std::span<const std::byte> packet, std::span<Scalar> into);

/// into += scale * message
template <class Scalar>
bool add_full(std::span<const std::byte> packet, Scalar scale, std::span<Scalar> into);

/// into += weight * (message - own): the term of one neighbor in a mixing step in edge-difference form. The
/// term is exactly zero if the two vectors are equal, and the terms at both ends of an edge are exactly
/// opposite.
template <class Scalar>
bool add_weighted_difference(std::span<const std::byte> packet, Scalar weight, std::span<const Scalar> own,
                             std::span<Scalar> into);

/// into = (into + message) / 2. Both ends of an exchange compute the same bits, since a + b = b + a. `into`
/// stays unchanged if the two vectors are equal.
template <class Scalar>
bool average_full(std::span<const std::byte> packet, std::span<Scalar> into);

}  // namespace hearsay

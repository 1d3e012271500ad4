#pragma once

#include <cstddef>
#include <span>

#include "algorithms/compression/seam/packet.hpp"

namespace hearsay {

// A vector as it is: its scalars, little-endian, nothing else. The uncompressed methods and the compressor
// `none` send this. The readers return false, and change nothing, if the packet does not hold exactly
// into.size() scalars; it may start at any address.

/// Replaces what `out` held by the bytes of `vector`.
template <class Scalar>
void write_full(std::span<const Scalar> vector, PacketBuffer& out);

/// into = message
template <class Scalar>
bool read_full(std::span<const std::byte> packet, std::span<Scalar> into);

/// into += scale * message
template <class Scalar>
bool add_full(std::span<const std::byte> packet, Scalar scale, std::span<Scalar> into);

/// into += weight * (message - own): one neighbor's term of a mixing step in edge-difference form. It is
/// exactly zero if the two agree, and exactly antisymmetric between the two ends of an edge.
template <class Scalar>
bool add_weighted_difference(std::span<const std::byte> packet, Scalar weight, std::span<const Scalar> own,
                             std::span<Scalar> into);

/// into = (into + message) / 2: the same bits at both ends of an exchange, since a + b = b + a; unchanged if
/// the two agree.
template <class Scalar>
bool average_full(std::span<const std::byte> packet, std::span<Scalar> into);

}  // namespace hearsay

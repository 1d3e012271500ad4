#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"
#include "algorithms/objectives/samples.hpp"
#include "algorithms/seam/algorithm.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Returns the XXH3 hash (64 bits) of the vector's bytes: equal digests stand for equal bits.
template <class Scalar>
std::uint64_t digest(const Vector<Scalar>& vector);

/// Returns one digest of features, targets and number of classes.
template <class Scalar>
std::uint64_t digest(const Samples<Scalar>& samples);

std::uint64_t digest(std::string_view text);

/// Returns 16 hexadecimal digits. In JSON a digest is text, because a JSON reader's doubles hold fewer than
/// 64 bits.
std::string hexadecimal(std::uint64_t digest);

/// Digests of what a method publishes and of the replicas that it keeps, for comparison between peers.
/// Several vectors of one owner have one digest together.
struct StateDigests {
  std::optional<std::uint64_t> published;
  std::vector<std::pair<PeerId, std::uint64_t>> replicas;  ///< (owner, digest of this holder's copy)
  /// (outgoing neighbor, digest of what this peer had published when it last sent to that neighbor). Empty
  /// unless links change from round to round.
  std::vector<std::pair<PeerId, std::uint64_t>> told = {};
};

/// Returns all digests but `told`, which is no state of the method.
template <class Scalar>
StateDigests digest_state(Algorithm<Scalar>& algorithm);

/// Returns the digest of what the method publishes; empty if the method publishes nothing.
template <class Scalar>
std::optional<std::uint64_t> digest_published(Algorithm<Scalar>& algorithm);

/// Returns the 32-bit form of a digest for a frame's header (frame.hpp): the XOR of both halves. It is never
/// 0, because 0 in a header means that there is no digest.
constexpr std::uint32_t header_digest(std::uint64_t digest) {
  const auto folded = static_cast<std::uint32_t>(digest >> 32 ^ digest);
  return folded == 0 ? 1 : folded;
}

}  // namespace hearsay

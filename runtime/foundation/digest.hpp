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

/// XXH3 (64 bits) of the vector's bytes: equal digests stand for equal bits.
template <class Scalar>
std::uint64_t digest(const Vector<Scalar>& vector);

/// Of features, targets and number of classes.
template <class Scalar>
std::uint64_t digest(const Samples<Scalar>& samples);

std::uint64_t digest(std::string_view text);

/// Sixteen digits: a digest exceeds what a JSON reader's doubles hold, so it is text there.
std::string hexadecimal(std::uint64_t digest);

/// Digests of what a method publishes and of the replicas it keeps, for comparison between peers; of several
/// vectors, one digest of all.
struct StateDigests {
  std::optional<std::uint64_t> published;
  std::vector<std::pair<PeerId, std::uint64_t>> replicas;  ///< (owner, digest of this holder's copy)
  /// Where links change: (hearer, digest of what was published when this peer last spoke to it).
  std::vector<std::pair<PeerId, std::uint64_t>> told = {};
};

/// All but `told`, which is no state of the method.
template <class Scalar>
StateDigests digest_state(Algorithm<Scalar>& algorithm);

/// Of what it publishes alone.
template <class Scalar>
std::optional<std::uint64_t> digest_published(Algorithm<Scalar>& algorithm);

/// A digest as a frame's header carries it (frame.hpp): both halves in one, and never 0, which says that
/// there is none.
constexpr std::uint32_t header_digest(std::uint64_t digest) {
  const auto folded = static_cast<std::uint32_t>(digest >> 32 ^ digest);
  return folded == 0 ? 1 : folded;
}

}  // namespace hearsay

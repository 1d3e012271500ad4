#pragma once

#include <cstdint>
#include <span>

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// What a message meets on its way from a peer of a ring to the next one.
struct RingLink {
  Duration latency{0};
  Duration busy{0};  ///< how long the slowest of the two ports and the link works at one message
};

/// Returns the seconds that `steps` steps of a ring take in the long run, each of a message from every peer
/// to the next one. A peer sends a message as soon as it has that of the step before. Link i leads from peer
/// i to the next one, and carries one message after the other:
///
///   there_i(s) = busy_i + max(there_i(s-1), latency_i + there_(i-1)(s-1))
///
/// So a step takes as long as the busiest link works at a message, or as the way round the ring takes divided
/// by its n links, whichever is more.
double ring_seconds(std::span<const RingLink> links, std::uint64_t steps);

}  // namespace hearsay

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

/// Returns the seconds until all peers of a ring have what they are waiting for: each sends a message to the
/// next peer at the start, and in each of the `steps` - 1 steps that follow as soon as it has that of the
/// step before. Link i leads from peer i to the next one, and carries one message after the other:
///
///   there_i(s) = busy_i + max(there_i(s-1), latency_i + there_(i-1)(s-1))
///
/// So the last message is there after the slowest chain of `steps` messages, each on the link of the one
/// before or on the next link. A chain passes over links beside each other; it pays the latency of each, and
/// spends the steps that are left on the busiest of them. No chain is left out, and the time is O(n log^2 n).
/// There are two links or more, and at least as many steps.
double ring_seconds(std::span<const RingLink> links, std::uint64_t steps);

}  // namespace hearsay

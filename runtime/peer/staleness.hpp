#pragma once

#include <cstdint>

namespace hearsay {

// Bounded staleness, algorithm.staleness = s: in iteration t a peer waits for its neighbors' messages of
// iteration t - s, and for no others. So a message of iteration k is used in iteration k + s, however early
// it comes: no model depends on timing.

/// The first iteration whose messages are needed in `iteration` or later.
inline std::uint64_t first_needed_in(std::uint64_t iteration, std::uint64_t staleness) {
  return iteration > staleness ? iteration - staleness : 1;
}

}  // namespace hearsay

#pragma once

#include <cstdint>

namespace hearsay {

// Bounded staleness, algorithm.staleness = s: in iteration t a peer waits for what its neighbors said in
// iteration t - s, and for no more. So what was said in iteration k is used in iteration k + s, however early
// it came: which messages a model is made of depends on no time.

/// The first iteration whose messages are needed in `iteration` or later.
inline std::uint64_t first_needed_in(std::uint64_t iteration, std::uint64_t staleness) {
  return iteration > staleness ? iteration - staleness : 1;
}

}  // namespace hearsay

#pragma once

#include <cstdint>

#include "runtime/record/outcome.hpp"

namespace hearsay {

/// What the process of one peer tells of itself while the run goes on.
struct PeerProgress {
  bool has_started = false;     ///< the run has begun, and this peer is restored, if it resumes
  std::uint64_t iteration = 0;  ///< the last one that it has completed
  PeerMeters meters;
};

}  // namespace hearsay

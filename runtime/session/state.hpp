#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/peer/peer.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

/// What was told to the observer.
struct Told {
  FrameKind kind;
  std::uint64_t iteration;
  std::vector<std::byte> payload;
};

/// What the session of a peer has to know to go on where an earlier one ended.
struct SessionState {
  std::uint64_t next_needed;                  ///< the first iteration of which it needs messages
  std::optional<std::uint64_t> last_verdict;  ///< the newest that it knows
  std::vector<Outgoing> retained;             ///< what its neighbors may ask for again
  /// By destination: it has said that it needs nothing of the iterations before this one, so they are
  /// not retained.
  std::vector<std::pair<PeerId, std::uint64_t>> released;
  std::vector<Told> untold;  ///< what the observer has not answered
};

}  // namespace hearsay

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/foundation/shared_bytes.hpp"
#include "runtime/peer/outgoing.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

/// A frame that was sent to the observer.
struct Report {
  FrameKind kind;
  std::uint64_t iteration;
  SharedBytes payload;
};

/// The part of a session that a checkpoint keeps: with it a later process continues the session.
struct SessionState {
  std::uint64_t next_needed;                  ///< the first iteration whose messages the peer still needs
  std::optional<std::uint64_t> last_verdict;  ///< the newest evaluation whose verdict has come
  std::vector<Outgoing> retained;             ///< messages that the destinations may still need
  /// By destination: the first iteration whose messages are still retained.
  std::vector<std::pair<PeerId, std::uint64_t>> released;
  std::vector<Report>
      unacknowledged_reports;  ///< evaluations and result that the observer has not acknowledged
  Duration age{0};             ///< of the run, when the peer was saved: its clock goes on from there
};

}  // namespace hearsay

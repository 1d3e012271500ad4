#pragma once

#include <cstdint>

#include "runtime/wire/frame.hpp"

namespace hearsay {

/// The run ends now. From a peer to its neighbors and the observer; from the observer to all.
struct Stop {
  static constexpr FrameKind kind = FrameKind::stop;
  /// The exit code with which the receivers are to end: 2 (wrong input), 3 (a peer is lost) or 130 (the
  /// user). 0 in a stop without a payload, which names no reason, but 130 to a process that resumes while
  /// the user ends the run. Any number may arrive.
  int exit_code = 0;
  bool operator==(const Stop&) const = default;
};

inline void put(const Stop& stop, FrameHeader& header) {
  header.kind = Stop::kind;
  header.slot = static_cast<std::uint32_t>(stop.exit_code);
}
inline Stop as_stop(const FrameHeader& header) { return {static_cast<int>(header.slot)}; }

}  // namespace hearsay

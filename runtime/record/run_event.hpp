#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What happened to a peer while its run went on: an element of "events" in summary.json.
struct RunEvent {
  enum class What {
    lost,               ///< the run goes on without it, or ends since it cannot
    returned,           ///< it was lost, and takes part again
    joined,             ///< a new process joined the run in its place
    restarted,          ///< its process was killed, and came back from its checkpoint
    took_over,          ///< it stood by, and is the hub now
    program_restarted,  ///< its program was killed, and was started anew
  };
  What what = What::lost;
  PeerId peer = 0;
  /// lost, restarted: of its last evaluation. returned, joined: in which it goes on. took_over: in which it
  /// served first. program_restarted: of the last gradient that it was asked for.
  std::uint64_t iteration = 0;
  std::optional<double> seconds = {};  ///< since the start of the run; empty if nobody has seen it
};

constexpr std::string_view to_text(RunEvent::What what) {
  switch (what) {
    case RunEvent::What::lost:
      return "lost";
    case RunEvent::What::returned:
      return "returned";
    case RunEvent::What::joined:
      return "joined";
    case RunEvent::What::restarted:
      return "restarted";
    case RunEvent::What::took_over:
      return "took over";
    case RunEvent::What::program_restarted:
      return "program restarted";
  }
  return "";
}

}  // namespace hearsay

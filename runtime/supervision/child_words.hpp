#pragma once

#include <string>

#include "runtime/participant/peer_end.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

// What a child says to its parent: first its address, and at its end its reason, or `ended_well`. Until it
// has an address it says `at_work` now and then. A child that was started again and cannot take up its part
// says `cannot_come_back` before its reason.
inline constexpr const char* at_work = "at work";
inline constexpr const char* ended_well = "ended well";
inline constexpr const char* cannot_come_back = "cannot come back: ";

/// Returns what a child says at its end. `resumes`: it was to resume from checkpoints.
std::string last_words(const PeerEnd& end, bool resumes);

/// How a process has ended, as the kernel tells its parent.
struct ProcessEnd {
  enum class By {
    exit,       ///< by itself, with an exit code
    outside,    ///< somebody has killed it
    own_fault,  ///< by a signal that shows a bug, as in a read of unmapped memory
  };
  By by = By::exit;
  int number = 0;  ///< the exit code, or the number of the signal
};

/// Returns how a child has ended, in a sentence. `reason`: its own last words; empty if there were none.
std::string how_it_ended(PeerId id, const std::string& reason, const ProcessEnd& end);

/// Returns what the others are told of a child with these last words. Its own word `parted` tells them why it
/// leaves, too, but may come after its end was seen. Empty if there were none.
std::string why_it_left(PeerId id, const std::string& reason);

}  // namespace hearsay

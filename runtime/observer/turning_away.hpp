#pragma once

#include <set>
#include <string>
#include <utility>

#include "runtime/observer/members.hpp"
#include "runtime/observer/observer_frames.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Refuses the peers of a run that cannot begin, since the process of the observer cannot take part.
class TurningAway {
 public:
  /// `why` is a sentence, which all peers of the run have to hear.
  TurningAway(std::string why, PeerId peer_count, const Members& members) : why_(std::move(why)) {
    for (PeerId id = 0; id < peer_count; ++id)
      if (id != observer_peer && !members.is_gone(id)) not_told_.insert(id);
  }

  /// Refuses a caller. Returns true if all have been told now.
  bool tell(PeerId caller, ObserverFrames& words) {
    words.say(caller, FrameKind::refuse, why_);
    not_told_.erase(caller);
    return not_told_.empty();
  }

 private:
  std::string why_;
  std::set<PeerId> not_told_;
};

}  // namespace hearsay

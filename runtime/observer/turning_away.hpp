#pragma once

#include <set>
#include <string>
#include <utility>

#include "runtime/observer/observer_frames.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Refuses the peers of a run that cannot begin, since the process of the observer cannot take part.
class TurningAway {
 public:
  /// `why` is a sentence; `to_be_told` are the peers that have to hear it.
  TurningAway(std::string why, std::set<PeerId> to_be_told)
      : why_(std::move(why)), not_told_(std::move(to_be_told)) {}

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

#pragma once

#include <string>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Something that a participant has found out or decided, for the user.
struct PeerNews {
  enum class Kind {
    waits,              ///< it waits for long, before the start or for messages
    joins,              ///< it joins the run, with the model of peer `about`
    parts,              ///< it goes on without peer `about`, which is lost
    takes_back,         ///< the edge to peer `about`, which was lost, is in again
    loses_observer,     ///< it goes on without the observer
    hears_observer,     ///< it goes on with the observer again
    stands_by_no_more,  ///< it does not keep a second hub ready any more
    is_replaced,        ///< it was the hub, and peer `about` has taken over
    leaves,             ///< it ends, and the others go on without it
  };
  Kind kind;
  PeerId about;
  std::string sentence;  ///< without a full stop
};

}  // namespace hearsay

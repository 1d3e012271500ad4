#pragma once

#include <optional>
#include <string>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// A lost peer, as those say who have started its process.
struct LostPeer {
  std::optional<PeerId> id;  ///< empty if it is not known which peer is lost, or all have to go back
  std::string how;           ///< in a sentence
  std::string to_others{};   ///< `how` for the other peers (ObserverSession::lose_peer); may be empty
  bool on_its_host = false;  ///< its starter has seen its end, there (ObserverSession::note_end_seen)
};

}  // namespace hearsay

#pragma once

#include <string>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// "peer 3"
inline std::string name_of(PeerId peer) { return "peer " + std::to_string(peer); }

}  // namespace hearsay

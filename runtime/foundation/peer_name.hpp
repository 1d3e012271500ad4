#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// "peer 3"
inline std::string name_of(PeerId peer) { return "peer " + std::to_string(peer); }

/// "peer 1", "peers 1, 2"; of more than `most` only so many: "peers 1, 2, ..."
inline std::string names_of(const std::vector<PeerId>& ids,
                            std::size_t most = std::numeric_limits<std::size_t>::max()) {
  std::string names = ids.size() == 1 ? "peer " : "peers ";
  for (std::size_t k = 0; k < std::min(ids.size(), most); ++k)
    names += (k == 0 ? "" : ", ") + std::to_string(ids[k]);
  return names + (ids.size() > most ? ", ..." : "");
}

}  // namespace hearsay

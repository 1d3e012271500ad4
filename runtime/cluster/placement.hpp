#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Where in a run a process stands, as those who started it say: which peer it is and where all of them
/// listen. What is empty, the command line and the topology file say.
struct PeerPlace {
  std::optional<PeerId> id;
  std::vector<std::string> addresses;  ///< by id
  std::string observer;
  std::string bind;  ///< host, address or interface on which this peer listens; "*": on all
  bool operator==(const PeerPlace&) const = default;
};

using Environment = std::map<std::string, std::string>;

/// The place that environment variables give one of `peer_count` peers:
///
///     HEARSAY_ID          its id; or a name that ends in it, as pods of a StatefulSet have: "hearsay-3"
///     HEARSAY_ADDRESSES   all addresses in the order of the ids, with commas and ranges:
///                         "tcp://hearsay-[0-7].hearsay:7000"
///     HEARSAY_OBSERVER    where peer 0 collects evaluations
///     HEARSAY_BIND        where this peer listens if not at its address: "10.0.0.3", "eth1", "*"
///     HEARSAY_PORT        under Slurm: the first peer of a node listens there, the next ones above (7000)
///
/// Where they are not set, those of a Slurm job step stand in: the id is SLURM_PROCID, and where the topology
/// has no addresses they are NODE:HEARSAY_PORT + SLURM_LOCALID, from SLURM_STEP_NODELIST and
/// SLURM_STEP_TASKS_PER_NODE (or SLURM_JOB_NODELIST and SLURM_TASKS_PER_NODE), for the distributions block
/// and cyclic. Misuse names the variable.
PeerPlace place_in(const Environment& environment, PeerId peer_count, bool topology_has_addresses);

}  // namespace hearsay

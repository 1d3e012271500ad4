#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// The place of a process in a run: which peer it is, and the addresses of all peers. An empty member leaves
/// the choice to the topology file.
struct Placement {
  std::optional<PeerId> id;
  std::vector<std::string> addresses;  ///< by id
  std::string observer;
  std::string bind;  ///< name, IP address or interface on which this peer listens; "*": on all interfaces
  bool operator==(const Placement&) const = default;
};

using Environment = std::map<std::string, std::string>;

/// Returns the place that environment variables give to one of `peer_count` peers:
///
///     HEARSAY_ID          its id; or a name that ends in the id, such as a StatefulSet's pod: "hearsay-3"
///     HEARSAY_ADDRESSES   all addresses in the order of the ids, with commas and ranges:
///                         "tcp://hearsay-[0-7].hearsay:7000"
///     HEARSAY_OBSERVER    where peer 0 collects evaluations
///     HEARSAY_BIND        where this peer listens if not at its address: "10.0.0.3", "eth1", "*"
///     HEARSAY_PORT        under Slurm: the port of a node's first peer (7000); the others use the next ports
///
/// In a Slurm job step, SLURM_PROCID is the id if HEARSAY_ID is not set. If neither HEARSAY_ADDRESSES nor the
/// topology gives addresses, a peer's address is NODE:PORT with PORT = HEARSAY_PORT + its number on the node.
/// The nodes come from SLURM_STEP_NODELIST and SLURM_STEP_TASKS_PER_NODE (or SLURM_JOB_NODELIST and
/// SLURM_TASKS_PER_NODE); tasks must be distributed by block or cyclic. Throws Misuse, which names the
/// variable.
Placement placement_from(const Environment& environment, PeerId peer_count, bool topology_has_addresses);

}  // namespace hearsay

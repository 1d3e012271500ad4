#pragma once

#include <string>
#include <vector>

#include "runtime/cluster/placement.hpp"
#include "runtime/cluster/topology_file.hpp"

namespace hearsay {

/// Where everybody is found in a run that spans hosts. What those say who started the peer wins over the
/// topology file; the observer is one port below peer 0 unless either says where.
struct ClusterAddresses {
  std::vector<std::string> peers;
  std::string observer;
};

/// Misuse where a peer has no address, or the observer that of a peer.
ClusterAddresses addresses_of(const Cluster& cluster, const PeerPlace& place);

/// Where the observer is if nobody has said: at peer 0, one port below it.
std::string default_observer(const std::string& address_of_first);

/// Where to listen so as to be reached at `address`: there; on every interface if its host is a name, which
/// others may resolve to another address than this machine does; at `host`, if it is given, in place of its
/// host.
std::string bind_address(const std::string& address, const std::string& host);

/// Where the owner of `address` listens, `bind` being what the topology file says. A topology file means its
/// addresses to the letter. A scheduler's are names of hosts, which may mean something else on the host
/// itself.
std::string where_to_listen(const std::string& address, const std::string& bind, const PeerPlace& place);

}  // namespace hearsay

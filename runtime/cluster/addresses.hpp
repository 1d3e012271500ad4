#pragma once

#include <string>
#include <vector>

#include "runtime/cluster/placement.hpp"
#include "runtime/cluster/topology_file.hpp"

namespace hearsay {

/// The addresses of all peers and of the observer, in a run that spans hosts.
struct ClusterAddresses {
  std::vector<std::string> peers;
  std::string observer;
};

/// Returns the addresses that `place` gives, and those of the topology file for the rest. An observer without
/// an address gets `default_observer`. Throws Misuse if a peer has no address, or if a peer and the observer
/// have the same.
ClusterAddresses addresses_of(const NamedTopology& topology, const Placement& place);

/// Returns the observer's address if none is given: peer 0's host, one port below peer 0 (above it if that
/// port is 1).
std::string default_observer(const std::string& address_of_first);

/// Returns where to listen so as to be reached at `address`, always at its port: on `host` if that is not
/// empty, else on the host of `address` if that is an IP address or localhost. On all interfaces if it is
/// another name, because others may resolve the name to another address than this machine does.
std::string bind_address(const std::string& address, const std::string& host);

/// Throws Misuse, naming the setting `key` and the remedy `bind_key`, if the name in `address` stands for a
/// loopback address on this machine, so that its owner would listen at `listening`, while another peer is on
/// another machine: Debian's /etc/hosts gives a machine's own name 127.0.1.1. `others` are the addresses of
/// the others, of which names that are not known here say nothing.
void require_reachable(const std::string& key, const std::string& bind_key, const std::string& address,
                       const std::string& listening, const std::vector<std::string>& others);

/// Returns where peer `id` listens in a run that spans hosts, and where the observer does, as
/// `listening_address` says. Throws Misuse if the others cannot reach it there (`require_reachable`).
std::string peer_listening_address(const ClusterAddresses& addresses, const NamedTopology& topology,
                                   PeerId id, const Placement& place);
std::string observer_listening_address(const ClusterAddresses& addresses, const NamedTopology& topology,
                                       const Placement& place);

/// Returns where the owner of `address` listens. If `place` has a bind host or addresses (from a scheduler,
/// say, whose host names the host itself may resolve otherwise), as `bind_address` says. Else as
/// `listening_address` says, with the topology file's `bind`.
std::string listening_address(const std::string& address, const std::string& bind, const Placement& place);

}  // namespace hearsay

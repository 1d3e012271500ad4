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

/// Returns where the owner of `address` listens. If `place` has a bind host or addresses (from a scheduler,
/// say, whose host names the host itself may resolve otherwise), as `bind_address` says. Else as
/// `listening_address` says, with the topology file's `bind`.
std::string listening_address(const std::string& address, const std::string& bind, const Placement& place);

}  // namespace hearsay

#include "runtime/experiment/held_peers.hpp"

#include <algorithm>
#include <numeric>

#include "runtime/cluster/address.hpp"

namespace hearsay {

namespace {

bool is_on_this_machine(const NamedPeer& peer) {
  return peer.host.empty() && (peer.address.empty() || Address::parse(peer.address).is_of_this_machine());
}

/// Returns the peer and those whose addresses have the same host; loopback addresses count as one.
std::vector<PeerId> peers_beside(PeerId id, const NamedTopology& topology,
                                 const std::vector<std::string>& addresses) {
  const auto address_of = [&](PeerId peer) {
    return Address::parse(peer < addresses.size() ? addresses[peer] : topology.peers[peer].address);
  };
  const Address own = address_of(id);
  std::vector<PeerId> ids;
  for (PeerId peer = 0; peer < topology.graph.peer_count(); ++peer) {
    const Address other = address_of(peer);
    const bool same_host = other.host == own.host || (other.is_loopback() && own.is_loopback());
    if (peer == id || (same_host && !own.host.empty())) ids.push_back(peer);
  }
  return ids;
}

}  // namespace

PeerId busiest_peer(const Graph& graph) {
  PeerId found = 0;
  for (PeerId id = 1; id < graph.peer_count(); ++id)
    if (graph.degree(id) > graph.degree(found)) found = id;
  return found;
}

HeldPeers held_peers(const NamedTopology& topology, const Home& home) {
  if (home.peer) return {peers_beside(*home.peer, topology, home.addresses), true};
  if (home.only_looks && !std::ranges::all_of(topology.peers, is_on_this_machine))
    return {{busiest_peer(topology.graph)}, true};
  std::vector<PeerId> all(topology.graph.peer_count());
  std::iota(all.begin(), all.end(), PeerId{0});
  const bool in_processes = home.draws_later && !(home.only_looks && all.size() >= many_peers);
  return {std::move(all), in_processes};
}

}  // namespace hearsay

#include "runtime/cluster/addresses.hpp"

#include <algorithm>

#include "runtime/cluster/address.hpp"
#include "runtime/toml/document.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

ClusterAddresses addresses_of(const NamedTopology& topology, const Placement& place) {
  ClusterAddresses addresses{place.addresses, place.observer.empty() ? topology.observer : place.observer};
  for (std::size_t id = addresses.peers.size(); id < topology.peers.size(); ++id) {
    const NamedPeer& peer = topology.peers[id];
    if (peer.address.empty())
      throw Misuse(
          "peer " + peer.name +
          " has no address; a run that spans hosts needs one for every peer, \"tcp://HOST:PORT\", in a "
          "topology file or in HEARSAY_ADDRESSES");
    addresses.peers.push_back(peer.address);
  }
  if (addresses.observer.empty()) addresses.observer = default_observer(addresses.peers.front());
  for (std::size_t id = 0; id < addresses.peers.size(); ++id)
    if (addresses.peers[id] == addresses.observer)
      throw Misuse("observer", toml_text(addresses.observer),
                   "peer " + topology.peers[id].name + " listens there; expected an address of its own");
  return addresses;
}

std::string default_observer(const std::string& address_of_first) {
  Address observer = Address::parse(address_of_first);
  const int port = std::stoi(observer.port);
  observer.port = std::to_string(port > 1 ? port - 1 : port + 1);
  return observer.text();
}

std::string bind_address(const std::string& address, const std::string& host) {
  Address bind = Address::parse(address);
  if (host.empty() && (bind.is_numeric() || bind.in_brackets)) return address;
  const bool is_local = host.empty() && bind.host == "localhost";
  return Address{is_local ? "127.0.0.1" : host.empty() ? "*" : host, bind.port}.text();
}

namespace {

bool is_elsewhere(const std::string& address) {
  try {
    return !Address::parse(listening_address(address, "")).is_of_this_machine();
  } catch (const Misuse&) {  // the name is not known here
    return false;
  }
}

}  // namespace

void require_reachable(const std::string& key, const std::string& bind_key, const std::string& address,
                       const std::string& listening, const std::vector<std::string>& others) {
  const Address parsed = Address::parse(address);
  const Address here = Address::parse(listening);
  if (parsed.is_numeric() || parsed.is_loopback() || !here.is_loopback()) return;
  if (std::ranges::none_of(others, is_elsewhere)) return;
  throw Misuse(key, toml_text(address),
               "the name " + parsed.host + " is " + here.host +
                   " on this machine (see its /etc/hosts), where no other machine reaches it; expected " +
                   bind_key + " = " + toml_text(Address{"0.0.0.0", parsed.port}.text()) + " beside it");
}

std::string peer_listening_address(const ClusterAddresses& addresses, const NamedTopology& topology,
                                   PeerId id, const Placement& place) {
  const std::string& address = addresses.peers[id];
  std::string listening = listening_address(address, topology.peers[id].bind, place);
  require_reachable("address", "bind", address, listening, addresses.peers);
  return listening;
}

std::string observer_listening_address(const ClusterAddresses& addresses, const NamedTopology& topology,
                                       const Placement& place) {
  std::string listening = listening_address(addresses.observer, topology.observer_bind, place);
  require_reachable("observer", "observer_bind", addresses.observer, listening, addresses.peers);
  return listening;
}

std::string listening_address(const std::string& address, const std::string& bind, const Placement& place) {
  if (!place.bind.empty() || !place.addresses.empty()) return bind_address(address, place.bind);
  return listening_address(address, bind);
}

}  // namespace hearsay

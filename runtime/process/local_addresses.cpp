#include "runtime/process/local_addresses.hpp"

#include <sys/random.h>

#include <cstdint>
#include <utility>

#include "runtime/cluster/address.hpp"
#include "runtime/rules/transport_rules.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr const char* port_of_own_host = "7000";

/// Returns a name of its own for each socket. Everybody may read the names of those that listen, and could
/// take that of a peer that joins later, so one name says nothing about another. With "@" it is one of
/// Linux's abstract names, which are in no folder and vanish with their process.
std::string new_socket_name(const std::string& who) {
  std::uint64_t number = 0;
  ensure(getrandom(&number, sizeof number, 0) == static_cast<ssize_t>(sizeof number),
         "so few random bytes come at once");
  return "ipc://@hearsay-" + std::to_string(number) + "-" + who;
}

}  // namespace

LocalAddresses::LocalAddresses(const RunSettings& settings, std::vector<NamedPeer> peers,
                               const KernelNetwork* network)
    : peers_(std::move(peers)), network_(network) {
  if (transport_of(settings, peers_, network != nullptr) == Transport::tcp) return;
  for (PeerId id = 0; id < peers_.size(); ++id) sockets_.push_back(new_socket_name(std::to_string(id)));
  sockets_.push_back(new_socket_name("observer"));
}

std::string LocalAddresses::first_of(PeerId id) const {
  if (is_ipc()) return sockets_[id];
  if (network_) return "tcp://" + network_->address(id) + ":*";
  const NamedPeer& peer = peers_[id];
  return peer.address.empty() ? "tcp://127.0.0.1:*" : listening_address(peer.address, peer.bind);
}

std::string LocalAddresses::known_of(PeerId id) {
  const std::string first = first_of(id);
  Address address = Address::parse(first);
  if (address.port != "*") return first;
  if (address.is_loopback()) return reserved_.emplace_back().address();
  address.port = port_of_own_host;  // in a network namespace of its own, where nobody else listens
  return address.text();
}

std::string LocalAddresses::of_observer() const {
  if (is_ipc()) return sockets_.back();
  return "tcp://" + (network_ ? network_->observer_address() : "127.0.0.1") + ":*";
}

}  // namespace hearsay

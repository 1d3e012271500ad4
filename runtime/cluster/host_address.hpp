#pragma once

#include <string>

namespace hearsay {

// Addresses as topology files spell them: "tcp://HOST:PORT", HOST being a name, an IPv4 address, or an IPv6 address in
// brackets. A peer's `address` is where its neighbors find it, and it listens exactly there, on the one interface that has
// that address; `bind` says where it listens instead, for containers and hosts behind NAT.

/// The host without brackets.
std::string host_of(const std::string& address);
/// "tcp://*:7000", "tcp://0.0.0.0:7000", "tcp://[::]:7000": all interfaces of the machine. Nobody can be found there.
bool is_wildcard(const std::string& address);
/// Reachable from the same machine only, as far as the address itself tells.
bool is_loopback(const std::string& address);

/// Where to listen: `bind` if there is one, else the address itself; a host's name is looked up, for one listens on
/// addresses only. Misuse where the name is unknown.
std::string listening_address(const std::string& address, const std::string& bind);

}  // namespace hearsay

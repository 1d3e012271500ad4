#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/toml/setting.hpp"

namespace hearsay {

/// An address as topology files spell it: "tcp://HOST:PORT". Neighbors connect to a peer's `address`, and the
/// peer listens exactly there, on the one interface with that address. A `bind` address says where the peer
/// listens instead, for containers and hosts behind NAT.
struct Address {
  std::string host;          ///< a name, an IPv4 address, an IPv6 address without its brackets, or "*"
  std::string port;          ///< "7000"; "*" takes any free port to listen at
  bool in_brackets = false;  ///< true for an IPv6 address

  /// Returns the parts of `text`, unchecked; all empty unless `text` has the form "tcp://...:...".
  static Address parse(std::string_view text);
  std::string text() const;

  /// True for an IP address, "10.0.0.1" or "fe80::1%eth0"; false for a name.
  bool is_numeric() const;
  bool is_v6() const { return host.find(':') != std::string::npos; }
  /// True for all interfaces of the machine: "tcp://*:7000", "tcp://0.0.0.0:7000", "tcp://[::]:7000". Such an
  /// address is for listening; others cannot connect to it.
  bool is_wildcard() const;
  /// True for 127.0.0.0/8, ::1 and "localhost", which only the same machine can reach.
  bool is_loopback() const;
  /// True for an IP address of this machine: loopback, or that of one of its interfaces.
  bool is_of_this_machine() const;
};

/// Returns an address to connect to. HOST is a name, an IPv4 address, or an IPv6 address in brackets. Throws
/// Misuse for anything else, all interfaces included.
std::string read_address(const Setting& setting);
/// Returns an address to listen at: as above, or all interfaces of the machine.
std::string read_address_or_wildcard(const Setting& setting);

/// An address to connect to, and whether it is one of IPv6.
struct DialedAddress {
  std::string text;
  bool is_v6;
};

/// Returns an address for each IP address of the name in `address`, in the order of the system. If it has
/// only one, is unknown or no name, `address` itself: whoever connects looks the name up again each time.
std::vector<DialedAddress> addresses_to_dial(const std::string& address);

/// Returns where to listen: `bind` if it is not empty, else `address` with a host name replaced by its first
/// IP address. Throws Misuse if the name is unknown.
std::string listening_address(const std::string& address, const std::string& bind);

}  // namespace hearsay

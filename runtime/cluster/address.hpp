#pragma once

#include <string>
#include <string_view>

#include "runtime/toml/setting.hpp"

namespace hearsay {

/// An address as topology files spell it: "tcp://HOST:PORT". A peer's `address` is where its neighbors find
/// it, and it listens exactly there, on the one interface that has that address; `bind` says where it listens
/// instead, for containers and hosts behind NAT.
struct Address {
  std::string host;          ///< a name, an IPv4 address, an IPv6 address without its brackets, or "*"
  std::string port;          ///< "7000"; "*": where one listens at a port that is free
  bool in_brackets = false;  ///< as an IPv6 address is

  /// The parts of `text`, unchecked; both empty if it is no "tcp://...:...".
  static Address parse(std::string_view text);
  std::string text() const;

  /// "10.0.0.1" or "fe80::1%eth0": no name server is needed.
  bool is_numeric() const;
  bool is_v6() const { return host.find(':') != std::string::npos; }
  /// "tcp://*:7000", "tcp://0.0.0.0:7000", "tcp://[::]:7000": all interfaces of the machine. Nobody can be
  /// found there.
  bool is_wildcard() const;
  /// True if only the same machine can reach it, as far as the address itself tells.
  bool is_loopback() const;
};

/// The address that others find somebody at; HOST is a name, an IPv4 address or an IPv6 address in brackets.
/// Misuse if it is none.
std::string read_address(const Setting& setting);
/// The same, or with "*" for a host: an address to listen at.
std::string read_address_or_wildcard(const Setting& setting);

/// Where to listen: `bind` if there is one, else the address itself; a host's name is looked up, for one
/// listens on addresses only. Misuse if the name is unknown.
std::string listening_address(const std::string& address, const std::string& bind);

}  // namespace hearsay

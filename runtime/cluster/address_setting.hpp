#pragma once

#include <string>

#include "runtime/toml/setting.hpp"

namespace hearsay {

/// An address where others find somebody, "tcp://HOST:PORT"; HOST is a name, an IPv4 address or an IPv6 address in brackets.
/// Misuse where it is none.
std::string read_address(const Setting& setting);
/// The same, or with "*" for a host: an address to listen on.
std::string read_address_or_wildcard(const Setting& setting);

}  // namespace hearsay

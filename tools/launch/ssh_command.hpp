#pragma once

#include <string>
#include <vector>

#include "runtime/cluster/topology_file.hpp"

namespace hearsay {

/// Returns the command line of ssh that makes the peer's directory on its host and starts its program there.
/// Standard input, output and error are those of ssh; there is no terminal. ssh never asks the user: it fails
/// instead.
std::vector<std::string> ssh_command(const NamedPeer& peer);

/// Returns the name of the peer for messages, with its host if it has one: "n3 (user@node3)".
std::string label_of(const NamedPeer& peer);

}  // namespace hearsay

#pragma once

#include <string>
#include <vector>

#include "runtime/cluster/topology_file.hpp"

namespace hearsay {

/// The command, ssh and its arguments, that makes the peer's directory on its host and starts its program in
/// it, with standard input, output and error connected to ours and no terminal. ssh asks nothing: what it
/// would ask for is an error.
std::vector<std::string> ssh_command(const ClusterPeer& peer);

/// How people know the peer: its name, and its host where it has one: "n3 (user@node3)".
std::string label_of(const ClusterPeer& peer);

}  // namespace hearsay

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace hearsay {

/// How `hearsay launch` reaches a peer's host and what it finds there. In a topology file, [launch] says it for all peers
/// and a [[peer]] for itself:
///
///     [launch]
///     user = "trainer"                     # on hosts whose `host` names none
///     ssh_port = 2222                      # this and the next: whatever ~/.ssh/config says unless given
///     ssh_key = "$HOME/.ssh/cluster"       # a private key here; relative paths start at the topology file
///     ssh_config = "ssh_config"            # read instead of ~/.ssh/config
///     program = "/opt/hearsay/bin/hearsay" # there; else the hearsay on its PATH
///     directory = "experiments"            # there, from the user's home; the peer runs in it
struct LaunchSettings {
  std::string user;
  std::uint16_t ssh_port = 0;  ///< 0: ssh's own choice
  std::filesystem::path ssh_key;
  std::filesystem::path ssh_config;
  std::string program = "hearsay";
  std::string directory = ".";
  bool operator==(const LaunchSettings&) const = default;
};

}  // namespace hearsay

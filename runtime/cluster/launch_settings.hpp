#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/toml/key_row.hpp"

namespace hearsay {

/// How `hearsay launch` reaches a peer's host and what it finds there. In a topology file, [launch] says it
/// for all peers and a [[peer]] for itself:
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

/// The keys of [launch], and of a [[peer]], by the last part of their names.
const std::vector<KeyRow<LaunchSettings>>& launch_keys();

/// What differs from the defaults, a line each; parses back to the same.
std::string to_toml(const LaunchSettings& launch);

}  // namespace hearsay

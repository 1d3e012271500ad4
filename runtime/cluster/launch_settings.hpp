#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/toml/key_row.hpp"

namespace hearsay {

/// How `hearsay launch` reaches a peer's host, and what it runs there. In a topology file, [launch] sets
/// these keys for all peers; a [[peer]] overrides them for itself:
///
///     [launch]
///     user = "trainer"                     # on hosts whose `host` names none
///     ssh_port = 2222                      # ssh_port and ssh_key default to what ~/.ssh/config says
///     ssh_key = "$HOME/.ssh/cluster"       # a private key here; relative paths start at the topology file
///     ssh_config = "ssh_config"            # read instead of ~/.ssh/config
///     program = "/opt/hearsay/bin/hearsay" # on the host; default: the hearsay on its PATH
///     directory = "experiments"            # on the host, from the user's home; the peer runs in it
struct LaunchSettings {
  /// A path on the launching host, and how a topology file spells it: with "$HOME", which a file that is
  /// written for other hosts keeps.
  struct LocalPath {
    std::filesystem::path file;
    std::string spelled;
    bool operator==(const LocalPath& other) const { return file == other.file; }
  };

  std::string user;
  std::uint16_t ssh_port = 0;  ///< 0: ssh's own choice
  LocalPath ssh_key;
  LocalPath ssh_config;
  std::string program = "hearsay";
  std::string directory = ".";
  bool operator==(const LaunchSettings&) const = default;
};

/// Returns the keys that [launch] and [[peer]] share, named by their last part.
const std::vector<KeyRow<LaunchSettings>>& launch_keys();

/// Returns a line per key that differs from its default; parses back to equal settings.
std::string to_toml(const LaunchSettings& launch);

}  // namespace hearsay

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/settings/run_settings.hpp"
#include "runtime/toml/setting.hpp"

namespace hearsay {

/// A key of a network, common ([network]) or of one peer ([[network.peer]]); the name is its last part.
struct NetworkKey {
  std::string name;
  /// Relative paths start at `directory`.
  void (*read)(const Setting& setting, const std::filesystem::path& directory, NetworkSettings& network);
  std::string (*write)(const NetworkSettings& network);  ///< empty for a key that sets two others
};

const std::vector<NetworkKey>& network_keys();

}  // namespace hearsay

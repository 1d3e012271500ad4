#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/cluster/launch_settings.hpp"
#include "runtime/toml/setting.hpp"

namespace hearsay {

/// The keys, each behind "launch." or "peer.".
std::vector<std::string> launch_keys(const std::string& prefix);

/// Takes `setting` in where it is one of those keys; Misuse where its value is none.
void read_launch_setting(const Setting& setting, const std::string& prefix,
                         const std::filesystem::path& directory_of_the_file, LaunchSettings& to);

/// What differs from the defaults, a line each; parses back to the same.
std::string to_toml(const LaunchSettings& launch);

}  // namespace hearsay

#include "runtime/cluster/launch_settings.hpp"

#include <algorithm>

#include "runtime/toml/document.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;

/// Returns a text for a command line on the host. Every character arrives there unchanged; control characters
/// are refused.
std::string read_word(const Setting& setting, const fs::path&) {
  const std::string& word = setting.name();
  if (std::ranges::any_of(word, [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    setting.refuse("one line");
  return word;
}

/// Returns a user name. ssh would take a leading dash for an option.
std::string read_user(const Setting& setting, const fs::path& directory) {
  const std::string user = read_word(setting, directory);
  if (user.front() == '-' || user.find_first_of(" @") != std::string::npos)
    setting.refuse("a user's name on the peers' hosts");
  return user;
}

/// Returns a path on the host without a leading ~: it starts at the user's home anyway.
std::string read_directory(const Setting& setting, const fs::path& directory) {
  const std::string remote = read_word(setting, directory);
  if (remote == "~") return ".";
  return remote.starts_with("~/") ? remote.substr(2) : remote;
}

/// Returns the path, and its spelling. The spelling of a relative path would mean another file in another
/// folder: such a path is spelled from the root.
LaunchSettings::LocalPath read_local_path(const Setting& setting, const fs::path& directory) {
  const fs::path file = setting.path(directory);
  const std::string& spelled = setting.name();
  const bool means_the_same_anywhere = setting.path("/nowhere") == file;
  return {file, means_the_same_anywhere ? spelled : spelled_path(file)};
}

std::string spelling_of(const LaunchSettings::LocalPath& path) {
  return path.spelled.empty() ? std::string() : toml_text(path.spelled);
}

}  // namespace

const std::vector<KeyRow<LaunchSettings>>& launch_keys() {
  using L = LaunchSettings;
  const auto as_text = [](const std::string& text) { return toml_text(text); };
  const ValueKind<L::LocalPath> local_path = {"path", read_local_path, spelling_of};
  static const std::vector<KeyRow<L>> keys = {
      {"user", &L::user, {"name", read_user, as_text}},
      {"ssh_port", &L::ssh_port, kinds::count<std::uint16_t>(1)},
      {"ssh_key", &L::ssh_key, local_path},
      {"ssh_config", &L::ssh_config, local_path},
      {"program", &L::program, {"path there", read_word, as_text}},
      {"directory", &L::directory, {"path there", read_directory, as_text}},
  };
  return keys;
}

std::string to_toml(const LaunchSettings& launch) {
  std::string text;
  for (const KeyRow<LaunchSettings>& key : launch_keys()) {
    const std::string value = key.write(launch);
    if (value != key.write({})) text += key.name() + " = " + value + "\n";
  }
  return text;
}

}  // namespace hearsay

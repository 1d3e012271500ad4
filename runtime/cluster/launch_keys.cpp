#include "runtime/cluster/launch_keys.hpp"

#include <algorithm>

namespace hearsay {

namespace {

/// A text that ends up in a command line there: whatever is in it arrives as it is, but for what no argument can hold.
std::string read_word(const Setting& setting) {
  const std::string& word = setting.name();
  if (std::ranges::any_of(word, [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    setting.refuse("one line");
  return word;
}

/// ssh takes what begins with a dash for an option of its own.
std::string read_user(const Setting& setting) {
  const std::string user = read_word(setting);
  if (user.front() == '-' || user.find_first_of(" @") != std::string::npos)
    setting.refuse("a user's name on the peers' hosts");
  return user;
}

/// Remote paths start at the user's home, as ~ says.
std::string read_directory(const Setting& setting) {
  std::string directory = read_word(setting);
  if (directory == "~") return ".";
  return directory.starts_with("~/") ? directory.substr(2) : directory;
}

}  // namespace

std::vector<std::string> launch_keys(const std::string& prefix) {
  std::vector<std::string> keys;
  for (const char* key : {"user", "ssh_port", "ssh_key", "ssh_config", "program", "directory"})
    keys.push_back(prefix + "." + key);
  return keys;
}

void read_launch_setting(const Setting& setting, const std::string& prefix,
                         const std::filesystem::path& directory_of_the_file, LaunchSettings& to) {
  const auto is = [&](const char* key) { return setting.key == prefix + "." + key; };
  if (is("user")) to.user = read_user(setting);
  if (is("ssh_port")) to.ssh_port = static_cast<std::uint16_t>(setting.count(1, 65535));
  if (is("ssh_key")) to.ssh_key = setting.path(directory_of_the_file);
  if (is("ssh_config")) to.ssh_config = setting.path(directory_of_the_file);
  if (is("program")) to.program = read_word(setting);
  if (is("directory")) to.directory = read_directory(setting);
}

std::string to_toml(const LaunchSettings& launch) {
  const LaunchSettings defaults;
  std::string text;
  const auto add = [&text](const char* key, const std::string& value) {
    text += key + (" = " + value) + "\n";
  };
  if (launch.user != defaults.user) add("user", toml_text(launch.user));
  if (launch.ssh_port != defaults.ssh_port) add("ssh_port", std::to_string(launch.ssh_port));
  if (!launch.ssh_key.empty()) add("ssh_key", toml_text(spelled_path(launch.ssh_key)));
  if (!launch.ssh_config.empty()) add("ssh_config", toml_text(spelled_path(launch.ssh_config)));
  if (launch.program != defaults.program) add("program", toml_text(launch.program));
  if (launch.directory != defaults.directory) add("directory", toml_text(launch.directory));
  return text;
}

}  // namespace hearsay

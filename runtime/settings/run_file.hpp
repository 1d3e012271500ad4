#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/settings/run_settings.hpp"
#include "runtime/toml/setting.hpp"

namespace hearsay {

/// What a run file says, key by key, before it is read into RunSettings. Later layers (a sweep's variant, its
/// axes, --set) win over earlier ones, also over keys that say the same thing in other words.
class RunFile {
 public:
  RunFile() = default;
  /// The document `toml`, without its [sweep] table, as the first layer. `source` names it in messages.
  RunFile(std::string_view toml, const std::string& source);

  /// Adds a layer; Misuse for an unknown key, or two keys of the layer that exclude each other.
  void assign(const std::vector<Setting>& layer);

  /// Reads every key. Relative paths start at `directory`.
  RunSettings resolve(const std::filesystem::path& directory) const;

  /// The settings of [sweep], their keys without "sweep.", which are then no longer here: whoever copies the
  /// rest for every point of the sweep does not copy these. `has_sweep` is true even for an empty [sweep].
  std::vector<Setting> take_sweep() { return std::exchange(sweep_, {}); }
  bool has_sweep() const { return has_sweep_; }

 private:
  std::map<std::string, Setting> settings_;
  std::vector<Setting> sweep_;
  bool has_sweep_ = false;
};

/// A layer from the assignments of the command line: "a.b=value", the value TOML if it parses, else a string.
std::vector<Setting> parse_assignments(const std::vector<std::string>& assignments);

}  // namespace hearsay

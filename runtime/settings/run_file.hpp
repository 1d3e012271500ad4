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

/// The keys of a run file with their values, before they are read into RunSettings. Later layers (a sweep's
/// variant, its axes, --set) override earlier layers. A key also overrides the earlier keys that it replaces
/// (see `replaced_keys`): "run.epochs" overrides "run.iterations".
class RunFile {
 public:
  RunFile() = default;
  /// Takes the document `toml`, without its [sweep] table, as the first layer. `source` names the document in
  /// messages.
  RunFile(std::string_view toml, const std::string& source);

  /// Adds a layer. Throws Misuse for an unknown key, a key that is given twice, or two keys of the layer that
  /// exclude each other.
  void assign(const std::vector<Setting>& layer);

  /// Returns the settings of all layers together. Relative paths start at `directory`. Throws Misuse for a
  /// wrong value.
  RunSettings resolve(const std::filesystem::path& directory) const;

  /// Moves the settings of [sweep] out of this object, so that copies for the points of a sweep do not
  /// contain them. Their keys come without "sweep.".
  std::vector<Setting> take_sweep() { return std::exchange(sweep_, {}); }
  /// True if the document has a [sweep] table, even an empty one.
  bool has_sweep() const { return has_sweep_; }

 private:
  /// Returns algorithm.kind as it is once `layer` is added.
  std::string kind_with(const std::vector<Setting>& layer) const;

  std::map<std::string, Setting> settings_;
  std::vector<Setting> sweep_;
  bool has_sweep_ = false;
};

/// Begins an assignment that takes a key out: "unset a.b", of the option --unset.
inline constexpr std::string_view unset_prefix = "unset ";

/// Returns the layer of the command line's assignments, "a.b=value" or "unset a.b". The value is TOML if it
/// parses, else a string. Of two assignments to one key the later wins.
std::vector<Setting> parse_assignments(const std::vector<std::string>& assignments);

}  // namespace hearsay

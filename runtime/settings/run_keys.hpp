#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "runtime/settings/run_settings.hpp"
#include "runtime/toml/setting.hpp"

namespace hearsay {

/// One row of the run file's format: how a key is read into the settings, and how it is spelled again.
struct RunKey {
  std::string name;  ///< "algorithm.step_size"
  /// Relative paths start at `directory`.
  std::function<void(const Setting& setting, const std::filesystem::path& directory, RunSettings& settings)>
      read;
  /// The TOML value, or empty where the resolved file leaves the key out (not set, or implied by another).
  std::function<std::string(const RunSettings& settings)> write;
};

/// Every key of a run file but the arrays of tables `network.peer` and `network.link`, in the order in which
/// they are read and written: a key that overrides another comes after it.
const std::vector<RunKey>& run_keys();

/// Keys that setting `key` makes void: "run.epochs" replaces "run.iterations", and so on. A later assignment
/// (--set, a sweep's variant) thereby wins over an earlier one that says the same thing in other words.
std::vector<std::string> replaced_keys(const std::string& key);

}  // namespace hearsay

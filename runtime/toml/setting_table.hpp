#pragma once

#include <string>
#include <vector>

#include "runtime/toml/setting.hpp"

namespace hearsay {

/// The keys of a table with those of its subtables, dotted, in the order of the file. Arrays, and with them
/// arrays of tables, stay one setting.
std::vector<Setting> flattened(const TomlTable& table, const std::string& prefix = {});

/// One table of an array of tables; the keys of its settings begin with the array's: "network.peer.id".
struct SettingTable {
  std::string array;  ///< "network.peer"
  std::string place;  ///< "ring.toml:12"
  std::vector<Setting> settings;

  /// The setting `name`; Misuse if it is not there.
  const Setting& required(const std::string& name) const;
};

/// The tables of an array of tables, [[KEY]]; Misuse if `setting` is none.
std::vector<SettingTable> tables_of(const Setting& setting);

/// Misuse "KEY: unknown key, did you mean KNOWN?" for the first setting whose key is not in `known`. Meant is
/// a known key with the same last part (the right key in a wrong table), else the nearest by letters.
void require_known_keys(const std::vector<Setting>& settings, const std::vector<std::string>& known);

}  // namespace hearsay

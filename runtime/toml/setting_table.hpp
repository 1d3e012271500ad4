#pragma once

#include <string>
#include <vector>

#include "runtime/toml/setting.hpp"

namespace hearsay {

/// Returns the keys of a table and of its subtables, dotted, in the order of the file. An array is one
/// setting; so is an array of tables.
std::vector<Setting> flattened(const TomlTable& table, const std::string& prefix = {});

/// One table of an array of tables. The keys of its settings begin with the array's key: "network.peer.id".
struct SettingTable {
  std::string array;  ///< "network.peer"
  std::string place;  ///< "ring.toml:12"
  std::vector<Setting> settings;

  /// Returns the setting `name` (without the array's key); throws Misuse if the table has none.
  const Setting& required(const std::string& name) const;
};

/// Returns the tables of an array of tables, [[KEY]]; throws Misuse if `setting` is no such array.
std::vector<SettingTable> tables_of(const Setting& setting);

/// Throws Misuse if a member of `arrays` is given as a table, [peer], or with an s, [[peers]]: its keys would
/// be called unknown, although they are right. `prefix` is how the keys of `parent` begin: "network.".
void require_arrays_of_tables(const TomlTable& parent, const std::vector<std::string>& arrays,
                              const std::string& prefix = {});

/// Throws Misuse "KEY: unknown key, did you mean KNOWN?" for the first setting whose key is not in `known`.
/// The suggestion is a key of the same table that the given one is another common word for. Else it has the
/// same last part (the right key in a wrong table), else a spelling that is near. If no key is near, the
/// message lists the keys of the same table, or the tables.
void require_known_keys(const std::vector<Setting>& settings, const std::vector<std::string>& known);

}  // namespace hearsay

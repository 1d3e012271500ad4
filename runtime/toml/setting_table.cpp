#include "runtime/toml/setting_table.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "topology/foundation/misuse.hpp"
#include "topology/foundation/nearest_name.hpp"

namespace hearsay {
namespace {

std::string last_part(const std::string& key) { return key.substr(key.rfind('.') + 1); }

/// Returns the known key that a misspelt key probably means.
std::string meant_key(const std::string& key, const std::vector<std::string>& known) {
  std::vector<std::string> same_last_part;
  for (const std::string& candidate : known)
    if (last_part(candidate) == last_part(key)) same_last_part.push_back(candidate);
  return nearest_name(key, same_last_part.empty() ? known : same_last_part);
}

}  // namespace

std::vector<Setting> flattened(const TomlTable& table, const std::string& prefix) {
  std::vector<Setting> settings;
  for (const auto& [key, value] : table) {
    const auto* const subtable = std::get_if<TomlTable>(&value.data);
    if (subtable == nullptr) {
      settings.push_back({prefix + key, value});
    } else {
      for (Setting& setting : flattened(*subtable, prefix + key + "."))
        settings.push_back(std::move(setting));
    }
  }
  return settings;
}

const Setting& SettingTable::required(const std::string& name) const {
  const auto found = std::ranges::find(settings, array + "." + name, &Setting::key);
  if (found == settings.end())
    throw Misuse(place + ": " + array + ": every [[" + array + "]] needs the key " + name);
  return *found;
}

std::vector<SettingTable> tables_of(const Setting& setting) {
  const std::string expectation = "an array of tables, [[" + setting.key + "]]";
  const auto* const array = std::get_if<TomlArray>(&setting.value.data);
  if (array == nullptr) setting.refuse(expectation);
  std::vector<SettingTable> tables;
  for (const TomlValue& element : *array) {
    const auto* const table = std::get_if<TomlTable>(&element.data);
    if (table == nullptr) setting.refuse(expectation);
    tables.push_back({setting.key, element.place.text(), flattened(*table, setting.key + ".")});
  }
  return tables;
}

void require_known_keys(const std::vector<Setting>& settings, const std::vector<std::string>& known) {
  for (const Setting& setting : settings)
    if (std::ranges::find(known, setting.key) == known.end())
      throw Misuse(setting.label() + ": unknown key, did you mean " + meant_key(setting.key, known) + "?");
}

}  // namespace hearsay

#include "runtime/toml/setting_table.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "topology/foundation/misuse.hpp"
#include "topology/foundation/nearest_name.hpp"

namespace hearsay {
namespace {

std::string last_part(const std::string& key) { return key.substr(key.rfind('.') + 1); }

/// Returns the part before the last, with its dot: "network.peer." of "network.peer.id".
std::string table_of(const std::string& key) { return key.substr(0, key.rfind('.') + 1); }

/// Returns the member of `candidates` whose last part is likely meant; empty if there is none.
std::string likely_by_last_part(const std::string& key, const std::vector<std::string>& candidates,
                                std::size_t letters_per_edit) {
  std::vector<std::string> last_parts;
  for (const std::string& candidate : candidates) last_parts.push_back(last_part(candidate));
  const std::string likely = likely_name(last_part(key), last_parts, letters_per_edit);
  const auto found = std::ranges::find(last_parts, likely);
  return found == last_parts.end() ? "" : candidates[static_cast<std::size_t>(found - last_parts.begin())];
}

/// What other programs and papers call what a key says, and what the last part of the key may be here.
constexpr std::array<std::pair<std::string_view, std::string_view>, 25> other_words = {{
    {"name", "kind"},
    {"type", "kind"},
    {"method", "kind"},
    {"family", "kind"},
    {"lr", "step_size"},
    {"learning_rate", "step_size"},
    {"stepsize", "step_size"},
    {"eta", "step_size"},
    {"gamma", "consensus_step"},
    {"batch_size", "batch"},
    {"minibatch", "batch"},
    {"compression", "compressor"},
    {"quantizer", "compressor"},
    {"gradient_clip", "clip"},
    {"max_norm", "clip"},
    {"n", "peers"},
    {"size", "peers"},
    {"nodes", "peers"},
    {"workers", "peers"},
    {"steps", "iterations"},
    {"speed", "bandwidth"},
    {"delay", "latency"},
    {"kind", "source"},
    {"path", "source"},
    {"train", "source"},
}};

/// Returns the key of `same_table` that says what `key` is another word for; empty if there is none.
std::string key_of_other_word(const std::string& key, const std::vector<std::string>& same_table) {
  for (const auto& [other, ours] : other_words)
    if (last_part(key) == other)
      for (const std::string& candidate : same_table)
        if (last_part(candidate) == ours) return candidate;
  return "";
}

template <class Names>
std::string listed(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Returns the end of the sentence that refuses an unknown key: the key that was probably meant, or those
/// that could have been.
std::string meant_key(const std::string& key, const std::vector<std::string>& known) {
  std::vector<std::string> same_last_part;
  std::vector<std::string> same_table;
  std::set<std::string> tables;
  for (const std::string& candidate : known) {
    if (last_part(candidate) == last_part(key)) same_last_part.push_back(candidate);
    if (table_of(candidate) == table_of(key)) same_table.push_back(candidate);
    tables.insert("[" + candidate.substr(0, candidate.find('.')) + "]");
  }
  if (const std::string meant = key_of_other_word(key, same_table); !meant.empty())
    return ", did you mean " + meant + "?";
  if (!same_last_part.empty()) return ", did you mean " + nearest_name(key, same_last_part) + "?";
  // A key of another table must be nearer than one of the same table.
  std::string likely = likely_by_last_part(key, same_table, 2);
  if (likely.empty()) likely = likely_by_last_part(key, known, 4);
  if (likely.empty() && same_table.empty()) likely = likely_name(key, known, 4);
  if (!likely.empty()) return ", did you mean " + likely + "?";
  return same_table.empty() ? "; expected a key of " + listed(tables)
                            : "; expected one of " + listed(same_table);
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

void require_arrays_of_tables(const TomlTable& parent, const std::vector<std::string>& arrays,
                              const std::string& prefix) {
  for (const auto& [key, value] : parent) {
    const auto* const array = std::get_if<TomlArray>(&value.data);
    const bool is_table = std::holds_alternative<TomlTable>(value.data);
    const bool has_tables =
        array && !array->empty() && std::holds_alternative<TomlTable>(array->front().data);
    for (const std::string& name : arrays)
      if ((key == name && is_table) || (key == name + "s" && (is_table || has_tables)))
        throw Misuse(value.place.text() + ": " + prefix + key + ": expected [[" + prefix + name +
                     "]] for each " + name + ", not " +
                     (is_table ? "[" + prefix + key + "]" : "[[" + prefix + key + "]]"));
  }
}

void require_known_keys(const std::vector<Setting>& settings, const std::vector<std::string>& known) {
  for (const Setting& setting : settings)
    if (std::ranges::find(known, setting.key) == known.end())
      throw Misuse(setting.label() + ": unknown key" + meant_key(setting.key, known));
}

}  // namespace hearsay

#include "runtime/run_file.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <variant>

#include "runtime/config.hpp"
#include "runtime/run_keys.hpp"
#include "topology/misuse.hpp"
#include "topology/nearest_name.hpp"

namespace hearsay {
namespace {

namespace fs = std::filesystem;

const std::string peers_key = "network.peer";
const std::string links_key = "network.link";

std::string last_part(const std::string& key) { return key.substr(key.rfind('.') + 1); }

/// The known key that a misspelt one probably means: one with the same last part in another table, else the
/// nearest by letters.
std::string meant_key(const std::string& key, const std::vector<std::string>& known) {
  for (const std::string& candidate : known)
    if (last_part(candidate) == last_part(key)) return candidate;
  return nearest_name(key, known);
}

/// The tables of an array of tables, each flattened to settings whose keys begin with the array's.
std::vector<std::vector<Setting>> tables_of(const Setting& setting) {
  const auto* const array = std::get_if<TomlArray>(&setting.value.data);
  if (array == nullptr) setting.refuse("an array of tables, [[" + setting.key + "]]");
  std::vector<std::vector<Setting>> tables;
  for (const TomlValue& element : *array) {
    const auto* const table = std::get_if<TomlTable>(&element.data);
    if (table == nullptr) setting.refuse("an array of tables, [[" + setting.key + "]]");
    tables.push_back(flattened(*table, setting.key + "."));
  }
  return tables;
}

/// The setting `name` of one table of an array; Misuse if it is not there.
const Setting& required(const std::vector<Setting>& table, const std::string& name, const Setting& array) {
  for (const Setting& setting : table)
    if (last_part(setting.key) == name) return setting;
  const std::string place = table.empty() ? array.label() : table.front().label();
  throw Misuse(place + ": every [[" + array.key + "]] needs the key " + name);
}

PeerId read_peer(const Setting& setting, PeerId peers) {
  const std::uint64_t id = setting.count(0);
  if (id >= peers)
    setting.refuse("a peer's id, 0 to " + std::to_string(peers - 1) +
                   ", since topology.peers = " + std::to_string(peers));
  return static_cast<PeerId>(id);
}

void read_peer_networks(const Setting& array, RunSettings& to) {
  std::vector<std::string> known = {peers_key + ".id"};
  for (const NetworkKey& key : network_keys()) known.push_back(peers_key + "." + key.name);
  for (const auto& table : tables_of(array)) {
    for (const Setting& setting : table)
      if (std::ranges::find(known, setting.key) == known.end()) refuse_unknown_key(setting, known);
    const Setting& id = required(table, "id", array);
    NetworkSettings network = to.network;
    for (const NetworkKey& key : network_keys())
      for (const Setting& setting : table)
        if (setting.key == peers_key + "." + key.name) key.read(setting, network);
    if (!to.peer_networks.emplace(read_peer(id, to.topology.peers), network).second)
      id.refuse("each peer once");
  }
}

void read_link_overrides(const Setting& array, RunSettings& to) {
  const std::vector<std::string> known = {links_key + ".from", links_key + ".to", links_key + ".latency",
                                          links_key + ".bandwidth"};
  std::set<std::pair<PeerId, PeerId>> seen;
  for (const auto& table : tables_of(array)) {
    LinkOverride link{};
    link.from = read_peer(required(table, "from", array), to.topology.peers);
    link.to = read_peer(required(table, "to", array), to.topology.peers);
    for (const Setting& setting : table) {
      if (setting.key == known[2])
        link.latency = setting.duration();
      else if (setting.key == known[3])
        link.bandwidth = setting.bandwidth();
      else if (setting.key != known[0] && setting.key != known[1])
        refuse_unknown_key(setting, known);
    }
    const Setting& receiver = required(table, "to", array);
    if (link.from == link.to) receiver.refuse("another peer than network.link.from");
    if (!seen.emplace(link.from, link.to).second) receiver.refuse("each directed link once");
    to.link_overrides.push_back(link);
  }
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

void refuse_unknown_key(const Setting& setting, const std::vector<std::string>& known) {
  throw Misuse(setting.label() + ": unknown key, did you mean " + meant_key(setting.key, known) + "?");
}

RunFile::RunFile(std::string_view toml, const std::string& source) {
  TomlTable document = parse_toml(toml, source);
  std::erase_if(document, [this](const TomlEntry& entry) {
    if (entry.key != "sweep") return false;
    const auto* const table = std::get_if<TomlTable>(&entry.value.data);
    if (table == nullptr) Setting{"sweep", entry.value}.refuse("a table, [sweep]");
    has_sweep_ = true;
    sweep_ = flattened(*table);
    return true;
  });
  // A table is known by the keys it can hold: [algoritm] is refused even while it is empty.
  for (const TomlEntry& entry : document) {
    std::set<std::string> tables;
    for (const std::string& key : run_file_keys()) tables.insert(key.substr(0, key.find('.')));
    const bool is_table = std::holds_alternative<TomlTable>(entry.value.data);
    if (tables.contains(entry.key) && !is_table)
      Setting{entry.key, entry.value}.refuse("a table, [" + entry.key + "]");
    if (!tables.contains(entry.key) && is_table)
      throw Misuse(entry.value.place.text() + ": unknown table [" + entry.key + "], did you mean [" +
                   nearest_name(entry.key, std::vector<std::string>(tables.begin(), tables.end())) + "]?");
  }
  assign(flattened(document));
}

void RunFile::assign(const std::vector<Setting>& layer) {
  const auto in_layer = [&](const std::string& key) { return std::ranges::find(layer, key, &Setting::key); };
  for (const Setting& setting : layer) {
    if (std::ranges::find(run_file_keys(), setting.key) == run_file_keys().end())
      refuse_unknown_key(setting, run_file_keys());
    if (&*in_layer(setting.key) != &setting) setting.refuse("each key once");
    for (const std::string& replaced : replaced_keys(setting.key)) {
      const auto other = in_layer(replaced);
      // A common bandwidth and one direction's own may stand together; other such pairs contradict each
      // other.
      if (other == layer.end())
        settings_.erase(replaced);
      else if (setting.key != "network.bandwidth")
        throw Misuse(setting.label() + ": give " + setting.key + " or " + replaced + ", not both");
    }
    settings_.insert_or_assign(setting.key, setting);
  }
}

RunSettings RunFile::resolve(const fs::path& directory) const {
  const fs::path start = fs::absolute(directory);
  RunSettings settings;
  for (const RunKey& key : run_keys())
    if (const auto found = settings_.find(key.name); found != settings_.end())
      key.read(found->second, start, settings);
  if (const auto peers = settings_.find(peers_key); peers != settings_.end())
    read_peer_networks(peers->second, settings);
  if (const auto links = settings_.find(links_key); links != settings_.end())
    read_link_overrides(links->second, settings);
  if (settings.run.output.empty())
    settings.run.output = (fs::current_path() / "runs" / settings.run.name).lexically_normal();
  return settings;
}

std::vector<Setting> parse_assignments(const std::vector<std::string>& assignments) {
  std::vector<Setting> layer;
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Misuse("--set", assignment, "expected KEY=VALUE, such as run.seed=2");
    const std::string key = assignment.substr(0, equals);
    const std::string text = assignment.substr(equals + 1);
    std::optional<TomlValue> value = parse_toml_value(text, "--set");
    if (!value) value = TomlValue{text, {std::make_shared<const std::string>("--set"), 0}};
    // `network={latency="5 ms"}` assigns the keys of the table.
    for (Setting& setting : flattened({{key, *value}})) {
      std::erase_if(layer, [&](const Setting& earlier) { return earlier.key == setting.key; });
      layer.push_back(std::move(setting));
    }
  }
  return layer;
}

}  // namespace hearsay

#include "runtime/settings/run_file.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "algorithms/methods/registry.hpp"
#include "runtime/cluster/links_file.hpp"
#include "runtime/cluster/topology_file.hpp"
#include "runtime/settings/availability_file.hpp"
#include "runtime/settings/fault_keys.hpp"
#include "runtime/settings/former_keys.hpp"
#include "runtime/settings/link_settings.hpp"
#include "runtime/settings/network_keys.hpp"
#include "runtime/settings/run_keys.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/toml/setting_table.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/nearest_name.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {
namespace {

namespace fs = std::filesystem;

const std::string peers_key = "network.peer";
const std::string links_key = "network.link";
const std::string kind_key = "algorithm.kind";

PeerId read_peer(const Setting& setting, PeerId peers) {
  const std::uint64_t id = setting.count(0);
  if (id >= peers)
    setting.refuse("a peer's id, 0 to " + std::to_string(peers - 1) +
                   ", since topology.peers = " + std::to_string(peers));
  return static_cast<PeerId>(id);
}

/// Throws Misuse if a table has both a bandwidth and a bandwidth trace, which contradict each other.
void require_one_bandwidth(const SettingTable& table) {
  const auto given = [&](const std::string& name) {
    return std::ranges::find(table.settings, table.array + "." + name, &Setting::key) != table.settings.end();
  };
  for (const std::string other : {"bandwidth", "bandwidth_up", "bandwidth_down"})
    if (given("bandwidth_trace") && given(other))
      throw Misuse(table.required("bandwidth_trace").label() + ": give it or " + table.array + "." + other +
                   ", not both");
}

/// Takes ports and links from the links file that the run names.
void read_links_file(const Setting& setting, RunSettings& to) {
  LinksFile links = load_links_file(to.links_file, setting.label());
  if (links.peer_count() != to.topology.peers)
    setting.refuse("links between " + std::to_string(to.topology.peers) + " peers, as [topology] has, not " +
                   std::to_string(links.peer_count()));
  for (PeerId peer = 0; peer < links.peer_count(); ++peer) {
    const PortBandwidths& port = links.ports[peer];
    if (port == PortBandwidths{}) continue;
    NetworkSettings network = to.network;
    network.bandwidth_up = port.up;
    network.bandwidth_down = port.down;
    network.trace = {};
    to.peer_networks.emplace(peer, network);
  }
  to.pair_links = std::move(links.links);
}

void read_peer_networks(const Setting& array, const fs::path& directory, RunSettings& to) {
  std::vector<std::string> known = {array.key + ".id"};
  for (const KeyRow<NetworkSettings>& key : network_keys()) known.push_back(array.key + "." + key.name());
  std::set<PeerId> seen;
  for (const SettingTable& table : tables_of(array)) {
    require_known_keys(table.settings, known);
    require_one_bandwidth(table);
    const Setting& id = table.required("id");
    const PeerId peer = read_peer(id, to.topology.peers);
    if (!seen.insert(peer).second) id.refuse("each peer once");
    NetworkSettings network = network_of(to, peer);
    for (const KeyRow<NetworkSettings>& key : network_keys())
      for (const Setting& setting : table.settings)
        if (setting.key == array.key + "." + key.name()) key.read(setting, directory, network);
    to.peer_networks.insert_or_assign(peer, network);
  }
}

void read_link_overrides(const Setting& array, const fs::path& directory, RunSettings& to) {
  std::vector<std::string> known = {array.key + ".from", array.key + ".to"};
  for (const KeyRow<LinkOverride>& key : link_keys()) known.push_back(array.key + "." + key.name());
  std::map<std::pair<PeerId, PeerId>, LinkOverride> links;
  for (const SettingTable& table : tables_of(array)) {
    require_known_keys(table.settings, known);
    const Setting& receiver = table.required("to");
    LinkOverride link{
        read_peer(table.required("from"), to.topology.peers), read_peer(receiver, to.topology.peers), {}, {}};
    if (link.from == link.to) receiver.refuse("another peer than network.link.from");
    for (const Setting& setting : table.settings)
      for (const KeyRow<LinkOverride>& key : link_keys())
        if (setting.key == array.key + "." + key.name()) key.read(setting, directory, link);
    if (!link.latency && !link.bandwidth) receiver.refuse("latency or bandwidth beside from and to");
    if (!links.emplace(std::pair(link.from, link.to), link).second)
      receiver.refuse("each directed link once");
  }
  for (const auto& [ends, link] : links) to.link_overrides.push_back(link);
}

std::string in_brackets(const std::string& table) { return "[" + table + "]"; }

}  // namespace

RunFile::RunFile(std::string_view toml, const std::string& source) {
  TomlTable document = parse_toml(toml, source);
  std::erase_if(document, [this](const TomlEntry& entry) {
    if (entry.key != "sweep") return false;
    const auto* const table = std::get_if<TomlTable>(&entry.value.data);
    if (table == nullptr) Setting{"sweep", entry.value}.refuse("a table, [sweep]");
    require_arrays_of_tables(*table, {"variant"}, "sweep.");
    has_sweep_ = true;
    sweep_ = flattened(*table);
    return true;
  });
  require_arrays_of_tables(document, {faults_key});
  // Tables are checked by name, so that [algoritm] is refused even if it is empty.
  std::set<std::string> tables;
  for (const std::string& key : run_file_keys()) tables.insert(key.substr(0, key.find('.')));
  std::vector<std::string> spelled;
  for (const std::string& table : tables) spelled.push_back(in_brackets(table));
  for (const TomlEntry& entry : document) {
    const bool is_table = std::holds_alternative<TomlTable>(entry.value.data);
    if (tables.contains(entry.key) && !is_table && entry.key != faults_key)
      Setting{entry.key, entry.value}.refuse("a table, [" + entry.key + "]");
    if (entry.key == "network")
      require_arrays_of_tables(std::get<TomlTable>(entry.value.data), {"peer", "link"}, "network.");
    if (!tables.contains(entry.key) && is_table)
      throw Misuse(entry.value.place.text() + ": unknown table " + in_brackets(entry.key) +
                   did_you_mean(in_brackets(entry.key), spelled));
  }
  assign(flattened(document));
}

std::string RunFile::kind_with(const std::vector<Setting>& layer) const {
  const auto in_layer = std::ranges::find(layer, kind_key, &Setting::key);
  if (in_layer != layer.end()) return is_unset(*in_layer) ? RunSettings().algorithm.kind : in_layer->name();
  const auto earlier = settings_.find(kind_key);
  return earlier == settings_.end() ? RunSettings().algorithm.kind : earlier->second.name();
}

void RunFile::assign(const std::vector<Setting>& layer) {
  const auto in_layer = [&](const std::string& key) { return std::ranges::find(layer, key, &Setting::key); };
  refuse_former_keys(layer, kind_with(layer));
  require_known_keys(layer, run_file_keys());
  for (const Setting& setting : layer) {
    if (&*in_layer(setting.key) != &setting) setting.refuse("each key once");
    if (is_unset(setting)) {
      settings_.erase(setting.key);
      continue;
    }
    for (const std::string& replaced : replaced_keys(setting.key)) {
      const auto other = in_layer(replaced);
      // In one layer, network.bandwidth may stand beside the bandwidth of one direction. Any other such pair
      // is a contradiction.
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
  for (const KeyRow<RunSettings>& key : run_keys())
    if (const auto found = settings_.find(key.name()); found != settings_.end())
      key.read(found->second, start, settings);
  if (const MethodInfo* const method = method_named(settings.algorithm.kind)) {
    if (!settings_.contains("algorithm.step_size")) settings.algorithm.step_size = method->default_step_size;
    if (!settings_.contains("algorithm.batch")) settings.algorithm.batch = method->default_batch;
  }
  if (!settings.topology.file.empty())
    settings.topology.peers =
        peer_count_of_topology_file(settings.topology.file, settings_.at("topology.file").label());
  if (const auto trace = settings_.find("topology.availability"); trace != settings_.end())
    settings.availability =
        load_availability(settings.topology.availability, trace->second.label(), settings.topology.peers);
  if (const auto links = settings_.find("network.links"); links != settings_.end())
    read_links_file(links->second, settings);
  if (const auto peers = settings_.find(peers_key); peers != settings_.end())
    read_peer_networks(peers->second, start, settings);
  if (const auto links = settings_.find(links_key); links != settings_.end())
    read_link_overrides(links->second, start, settings);
  if (const auto faults = settings_.find(faults_key); faults != settings_.end())
    settings.faults = read_faults(faults->second, settings.topology.peers);
  if (!settings.model.program.empty() && settings.model.directory.empty()) settings.model.directory = start;
  if (settings.run.output.empty())
    settings.run.output = (fs::current_path() / "runs" / settings.run.name).lexically_normal();
  return settings;
}

std::vector<Setting> parse_assignments(const std::vector<std::string>& assignments) {
  std::vector<Setting> layer;
  const auto put = [&](Setting setting) {
    std::erase_if(layer, [&](const Setting& earlier) { return earlier.key == setting.key; });
    layer.push_back(std::move(setting));
  };
  for (const std::string& assignment : assignments) {
    if (assignment.starts_with(unset_prefix)) {
      put({assignment.substr(unset_prefix.size()),
           {TomlValue::Unset(), {std::make_shared<const std::string>("--unset"), 0}}});
      continue;
    }
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Misuse("--set", assignment, "expected KEY=VALUE, such as run.seed=2");
    const std::string key(trimmed(std::string_view(assignment).substr(0, equals)));
    const std::string text(trimmed(std::string_view(assignment).substr(equals + 1)));
    std::optional<TomlValue> value = parse_toml_value(text, "--set");
    if (!value) value = TomlValue{text, {std::make_shared<const std::string>("--set"), 0}};
    // An assigned table assigns its keys: --set 'network={latency="5 ms"}'.
    for (Setting& setting : flattened({{key, *value}})) put(std::move(setting));
  }
  return layer;
}

}  // namespace hearsay

#include "runtime/settings/fault_keys.hpp"

#include <algorithm>
#include <string_view>

#include "runtime/toml/document.hpp"
#include "runtime/toml/setting_table.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

const std::vector<std::string_view>& kinds_of_faults() {
  static const std::vector<std::string_view> names = {"kill", "freeze", "partition", "rejoin"};
  return names;
}

const Setting* find(const SettingTable& table, const std::string& name) {
  const auto found = std::ranges::find(table.settings, table.array + "." + name, &Setting::key);
  return found == table.settings.end() ? nullptr : &*found;
}

std::optional<Duration> read_for(const SettingTable& table) {
  const Setting* const lasts = find(table, "for");
  if (!lasts) return std::nullopt;
  const Duration duration = lasts->duration();
  if (duration == Duration{0}) lasts->refuse("a time above 0, such as \"4 s\"");
  return duration;
}

std::vector<PeerId> read_peers(const Setting& setting, PeerId peer_count) {
  std::vector<PeerId> peers;
  if (std::holds_alternative<std::int64_t>(setting.value.data))
    peers.push_back(static_cast<PeerId>(std::min<std::uint64_t>(setting.count(0), peer_count)));
  else
    peers = setting.distinct_ids();
  if (peers.empty() || peers.back() >= peer_count)
    setting.refuse("a peer's id, 0 to " + std::to_string(peer_count - 1) + ", or an array of such ids");
  return peers;
}

RandomKills read_random(const SettingTable& table) {
  for (const std::string name : {"at", "peer", "kind"})
    if (const Setting* const other = find(table, name))
      throw Misuse(other->label() + ": give it or fault.random, not both");
  RandomKills random;
  random.kills = table.required("random.kills").count(1, 1'000'000);
  if (const Setting* const seed = find(table, "random.seed")) random.seed = seed->count(0);
  const Setting& within = table.required("random.within");
  random.within = within.duration();
  if (random.within == Duration{0}) within.refuse("a time above 0, such as \"60 s\"");
  random.lasts = read_for(table);
  return random;
}

Fault read_fault(const SettingTable& table, PeerId peer_count) {
  Fault fault;
  fault.at = table.required("at").duration();
  fault.peers = read_peers(table.required("peer"), peer_count);
  const Setting& kind = table.required("kind");
  fault.kind = static_cast<Fault::Kind>(kind.one_of(kinds_of_faults()));
  fault.lasts = read_for(table);
  if (fault.kind == Fault::Kind::freeze && !fault.lasts)
    kind.refuse("a time, too, \"for\" which the process stands still");
  if (fault.kind == Fault::Kind::rejoin && fault.lasts)
    throw Misuse(find(table, "for")->label() + ": leave it out; a process that rejoins stays");
  if (fault.kind == Fault::Kind::partition && fault.peers.size() == peer_count)
    table.required("peer").refuse("some of the peers: they are cut off from the others");
  return fault;
}

std::string spelled(Duration duration) { return toml_text(to_text(duration)); }

std::string spelled(const std::vector<PeerId>& peers) {
  return peers.size() == 1 ? std::to_string(peers.front()) : toml_list(peers);
}

std::string lines_of(const Fault& fault) {
  return "at = " + spelled(fault.at) + "\npeer = " + spelled(fault.peers) + "\nkind = \"" +
         std::string(kinds_of_faults()[static_cast<std::size_t>(fault.kind)]) + "\"\n";
}

std::string lines_of(const RandomKills& random) {
  return "random = { kills = " + std::to_string(random.kills) + ", seed = " + std::to_string(random.seed) +
         ", within = " + spelled(random.within) + " }\n";
}

}  // namespace

std::vector<FaultTable> read_faults(const Setting& array, PeerId peer_count) {
  const std::vector<std::string> names = {"at",           "peer",        "kind",         "for",
                                          "random.kills", "random.seed", "random.within"};
  std::vector<std::string> known;
  for (const std::string& name : names) known.push_back(array.key + "." + name);
  std::vector<FaultTable> tables;
  for (const SettingTable& table : tables_of(array)) {
    if (const Setting* const random = find(table, "random"))
      random->refuse("a table, such as { kills = 5, seed = 7, within = \"60 s\" }");
    require_known_keys(table.settings, known);
    const bool is_random = std::ranges::any_of(table.settings, [](const Setting& setting) {
      return setting.key.find(".random.") != std::string::npos;
    });
    if (is_random)
      tables.emplace_back(read_random(table));
    else
      tables.emplace_back(read_fault(table, peer_count));
  }
  return tables;
}

std::string faults_text(const std::vector<FaultTable>& tables) {
  std::string text;
  for (const FaultTable& table : tables)
    std::visit(
        [&](const auto& fault) {
          text += "\n[[fault]]\n" + lines_of(fault);
          if (fault.lasts) text += "for = " + spelled(*fault.lasts) + "\n";
        },
        table);
  return text;
}

}  // namespace hearsay

#include "runtime/cluster/topology_description.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "runtime/cluster/address.hpp"
#include "runtime/cluster/launch_settings.hpp"
#include "runtime/cluster/name_range.hpp"
#include "runtime/cluster/peer_names.hpp"
#include "runtime/toml/document.hpp"
#include "runtime/toml/setting_table.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_pairs_of_a_table = 1'000'000;
constexpr std::size_t most_listed_peers = 100'000;

/// Returns "user@node1" or "node1", for ssh. A leading dash is refused: ssh would take it for an option.
std::string read_host(const Setting& setting, const fs::path&) {
  const std::string& host = setting.name();
  const bool one_word = std::ranges::none_of(host, [](unsigned char c) { return c <= 0x20 || c == 0x7f; });
  if (host.front() == '-' || host.ends_with('@') || !one_word) setting.refuse("\"HOST\" or \"USER@HOST\"");
  return host;
}

double read_weight(const Setting& setting, const fs::path&) {
  const double weight = setting.number();
  if (weight == 0.0) setting.refuse("a number other than 0: a link of weight 0 is none");
  return weight;
}

std::string as_text(const std::string& text) { return toml_text(text); }

// Addresses as text: to connect to, and to listen at.
ValueKind<std::string> address() {
  return {"address", [](const Setting& setting, const fs::path&) { return read_address(setting); }, as_text};
}
ValueKind<std::string> address_or_wildcard() {
  return {"address",
          [](const Setting& setting, const fs::path&) { return read_address_or_wildcard(setting); }, as_text};
}

/// Returns the keys at the file's root, without [launch], [[peer]] and [[link]], in the order in which they
/// are read.
const std::vector<KeyRow<TopologyDescription>>& root_keys() {
  using D = TopologyDescription;
  static const std::vector<KeyRow<D>> keys = {
      {"family", &D::family, kinds::spelling()},
      {"weights", &D::weights, kinds::spelling()},
      {"observer", &D::observer, address()},
      {"observer_bind", &D::observer_bind, address_or_wildcard()},
      {"peers", &D::peer_count, kinds::count<PeerId>(1)},
  };
  return keys;
}

const std::vector<KeyRow<LaunchSettings>>& launch_table() {
  static const std::vector<KeyRow<LaunchSettings>> keys = [] {
    std::vector<KeyRow<LaunchSettings>> rows = launch_keys();
    for (KeyRow<LaunchSettings>& row : rows) row.info.key = "launch." + row.info.key;
    return rows;
  }();
  return keys;
}

const std::vector<KeyRow<NamedPeer>>& peer_keys() {
  using P = NamedPeer;
  static const std::vector<KeyRow<P>> keys = [] {
    std::vector<KeyRow<P>> rows = {
        {"peer.name", &P::name, kinds::name()},
        {"peer.address", &P::address, address()},
        {"peer.bind", &P::bind, address_or_wildcard()},
        {"peer.host", &P::host, {"host", read_host, as_text}},
    };
    add_table(rows, "peer", &P::launch, launch_keys());
    return rows;
  }();
  return keys;
}

/// Returns the keys of a [[link]] besides its ends.
const std::vector<KeyRow<DescribedLink>>& link_keys() {
  using L = DescribedLink;
  static const std::vector<KeyRow<L>> keys = {
      {"link.weight", &L::weight, kinds::optional<double>({"number other than 0", read_weight, toml_number})},
      {"link.latency", &L::latency, kinds::optional(kinds::duration())},
      {"link.bandwidth", &L::bandwidth, kinds::optional(kinds::bandwidth())},
      {"link.one_way", &L::one_way, kinds::flag()},
  };
  return keys;
}

template <class Of>
std::vector<std::string> known(const std::vector<KeyRow<Of>>& rows, std::vector<std::string> others) {
  for (const KeyRow<Of>& row : rows) others.push_back(row.name());
  return others;
}

/// Returns the peer of a [[peer]] table whose settings have no ranges. `common` are the keys of [launch].
NamedPeer read_peer(const std::vector<Setting>& settings, PeerId id, const fs::path& directory,
                    const LaunchSettings& common) {
  NamedPeer peer{std::to_string(id), {}, {}, {}, common};
  for (const Setting& setting : settings) read_key(peer_keys(), setting, directory, peer);
  if (peer.address.empty() && !peer.bind.empty())
    std::ranges::find(settings, "peer.bind", &Setting::key)
        ->refuse("peer.address, too: where its neighbors find it");
  return peer;
}

/// Returns the tables that a [[peer]] stands for: one per step of its ranges, or the table itself if it has
/// none.
std::vector<std::vector<Setting>> without_ranges(const SettingTable& table) {
  std::vector<std::vector<std::string>> texts(table.settings.size());
  const Setting* first = nullptr;
  std::size_t count = 1;
  for (std::size_t k = 0; k < table.settings.size(); ++k) {
    const Setting& setting = table.settings[k];
    const auto* const text = std::get_if<std::string>(&setting.value.data);
    const bool may_have = setting.key == "peer.name" || setting.key == "peer.address" ||
                          setting.key == "peer.host" || setting.key == "peer.directory";
    if (text == nullptr || !may_have || !has_range(*text)) continue;
    texts[k] = expand_ranges(setting.label(), *text);
    if (first != nullptr && texts[k].size() != count)
      setting.refuse("as many as " + first->key + " has, " + std::to_string(count) + ", not " +
                     std::to_string(texts[k].size()));
    first = &setting;
    count = texts[k].size();
  }
  std::vector<std::vector<Setting>> tables(count, table.settings);
  for (std::size_t peer = 0; peer < count; ++peer)
    for (std::size_t k = 0; k < table.settings.size(); ++k)
      if (!texts[k].empty()) tables[peer][k].value.data = texts[k][peer];
  return tables;
}

std::vector<std::string> peer_names(const std::vector<NamedPeer>& peers) {
  std::vector<std::string> names;
  for (const NamedPeer& peer : peers) names.push_back(peer.name);
  return names;
}

std::vector<NamedPeer> read_peers(const Setting& array, const fs::path& directory,
                                  const LaunchSettings& common) {
  const std::vector<std::string> known_in_peer = names_of(peer_keys());
  std::vector<NamedPeer> peers;
  std::map<std::string, PeerId> names;
  for (const SettingTable& table : tables_of(array)) {
    require_known_keys(table.settings, known_in_peer);
    for (const std::vector<Setting>& settings : without_ranges(table)) {
      NamedPeer peer = read_peer(settings, static_cast<PeerId>(peers.size()), directory, common);
      if (!names.emplace(peer.name, peers.size()).second)
        throw Misuse(table.place + ": peer.name", toml_text(peer.name),
                     "expected a name of its own for each peer");
      peers.push_back(std::move(peer));
    }
    if (peers.size() > most_listed_peers)
      throw Misuse(table.place + ": at most " + std::to_string(most_listed_peers) + " peers can be listed");
  }
  return peers;
}

/// Returns the pairs of peers that a [[link]] joins. Ranges at both ends step together. Else every peer at
/// one end is joined with every other peer at the other end, each pair once.
std::vector<std::pair<PeerId, PeerId>> pairs_of(const PeerNames::End& from, const PeerNames::End& to,
                                                const Setting& from_setting, const Setting& to_setting) {
  std::vector<std::pair<PeerId, PeerId>> pairs;
  if (from.is_range && to.is_range) {
    if (from.peers.size() != to.peers.size())
      to_setting.refuse("as many peers as link.from names, " + std::to_string(from.peers.size()) + ", not " +
                        std::to_string(to.peers.size()));
    for (std::size_t k = 0; k < from.peers.size(); ++k) {
      if (from.peers[k] == to.peers[k]) to_setting.refuse("another peer than link.from");
      pairs.emplace_back(from.peers[k], to.peers[k]);
    }
    return pairs;
  }
  if (from.peers.size() * to.peers.size() > most_pairs_of_a_table)
    from_setting.refuse("at most " + std::to_string(most_pairs_of_a_table) + " pairs of peers in one table");
  std::set<std::pair<PeerId, PeerId>> seen;
  for (const PeerId a : from.peers)
    for (const PeerId b : to.peers)
      if (a != b && seen.emplace(std::minmax(a, b)).second) pairs.emplace_back(a, b);
  if (pairs.empty()) to_setting.refuse("another peer than link.from");
  return pairs;
}

std::vector<DescribedLink> read_links(const Setting& array, const PeerNames& names) {
  const std::vector<std::string> known_in_link = known(link_keys(), {"link.from", "link.to"});
  std::vector<DescribedLink> links;
  std::map<std::pair<PeerId, PeerId>, std::string> seen;
  for (const SettingTable& table : tables_of(array)) {
    require_known_keys(table.settings, known_in_link);
    const Setting& from = table.required("from");
    const Setting& to = table.required("to");
    DescribedLink link{0, 0, {}, {}, {}, table.place};
    for (const Setting& setting : table.settings) read_key(link_keys(), setting, {}, link);
    for (const auto& [a, b] : pairs_of(names.find_all(from), names.find_all(to), from, to)) {
      const auto [earlier, is_new] = seen.emplace(std::minmax(a, b), table.place);
      if (!is_new)
        throw Misuse(table.place + ": the link between " + toml_text(from.value) + " and " +
                     toml_text(to.value) + " was already given at " + earlier->second);
      link.a = a;
      link.b = b;
      links.push_back(link);
    }
  }
  return links;
}

}  // namespace

void check_addresses(const TopologyDescription& description) {
  std::map<std::string, std::string> owners;
  if (!description.observer.empty()) owners.emplace(description.observer, "the observer");
  for (const NamedPeer& peer : description.peers) {
    if (peer.address.empty() != description.peers.front().address.empty())
      throw Misuse(description.source + ": peer " + toml_text(peer.name) +
                   (peer.address.empty() ? " has no" : " has an") + " address while others " +
                   (peer.address.empty() ? "have" : "have none") + ": give one to every peer, or to none");
    if (peer.address.empty()) continue;
    const auto [owner, is_new] = owners.emplace(peer.address, "peer " + toml_text(peer.name));
    if (!is_new)
      throw Misuse(description.source + ": peer " + toml_text(peer.name) + " has the address " +
                   peer.address + " of " + owner->second);
  }
}

TopologyDescription parse_cluster_description(std::string_view toml_text_of_file, const std::string& source) {
  TopologyDescription description;
  description.source = source;
  const std::vector<std::string> tables = known(launch_table(), {"peer", "link"});
  std::vector<std::string> known_keys = names_of(root_keys());
  known_keys.insert(known_keys.end(), tables.begin(), tables.end());
  std::map<std::string, Setting> settings;
  const TomlTable document = parse_toml(toml_text_of_file, source);
  for (const auto& [key, value] : document)
    if (key == "run" || key == "algorithm")
      throw Misuse(value.place.text() + ": [" + key +
                   "] is of a run file; expected a topology file, which the run file names as topology.file");
  require_arrays_of_tables(document, {"peer", "link"});
  for (Setting& setting : flattened(document)) {
    require_known_keys({setting}, known_keys);
    settings.emplace(setting.key, std::move(setting));
  }
  const auto find = [&](const std::string& key) -> const Setting* {
    const auto found = settings.find(key);
    return found == settings.end() ? nullptr : &found->second;
  };
  const fs::path directory = fs::absolute(fs::path(source)).parent_path();
  if (const Setting* bind = find("observer_bind"); bind && !find("observer"))
    bind->refuse("observer, too: where the peers find it");
  for (const KeyRow<TopologyDescription>& key : root_keys())
    if (const Setting* setting = find(key.name())) key.read(*setting, directory, description);
  if (const Setting* peer = find("peer")) {
    LaunchSettings common;
    for (const auto& [key, setting] : settings) read_key(launch_table(), setting, directory, common);
    description.peers = read_peers(*peer, directory, common);
    const auto listed = static_cast<PeerId>(description.peers.size());
    if (const Setting* peers = find("peers"); peers && description.peer_count != listed)
      peers->refuse("as many as [[peer]] tables name, " + std::to_string(listed) + ", or no such key");
    description.peer_count = listed;
  }
  if (description.peer_count == 0) throw Misuse(source + ": expected peers = N, or [[peer]] tables");
  check_addresses(description);

  const Setting* const link = find("link");
  if (const Setting* family = find("family"); family && link)
    throw Misuse(family->label() + ": give family or [[link]] tables, not both");
  if (link != nullptr)
    description.links = read_links(*link, PeerNames(description.peer_count, peer_names(description.peers)));
  else if (description.family.empty() && description.peer_count > 1)
    throw Misuse(source + ": expected family = \"ring\" or the like, or [[link]] tables");
  return description;
}

std::vector<LinkOverride> link_overrides(const TopologyDescription& description) {
  std::vector<LinkOverride> overrides;
  for (const DescribedLink& link : description.links) {
    if (!link.latency && !link.bandwidth) continue;
    overrides.push_back({link.a, link.b, link.latency, link.bandwidth});
    if (!link.one_way) overrides.push_back({link.b, link.a, link.latency, link.bandwidth});
  }
  std::ranges::sort(overrides, {}, [](const LinkOverride& link) { return std::pair(link.from, link.to); });
  return overrides;
}

}  // namespace hearsay

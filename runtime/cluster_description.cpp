#include "runtime/cluster_description.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <utility>

#include "runtime/host_address.hpp"
#include "runtime/setting_table.hpp"
#include "runtime/toml_document.hpp"
#include "topology/misuse.hpp"
#include "topology/nearest_name.hpp"

namespace hearsay {
namespace {

const std::vector<std::string> top_keys = {"family",        "peers", "weights", "observer",
                                           "observer_bind", "peer",  "link"};
const std::vector<std::string> peer_keys = {"peer.name", "peer.address", "peer.bind", "peer.host"};
const std::vector<std::string> link_keys = {"link.from",    "link.to",        "link.weight",
                                            "link.latency", "link.bandwidth", "link.one_way"};

/// "tcp://HOST:PORT"; HOST is a name, an IPv4 address or an IPv6 address in brackets; "*" of an address to listen on.
std::string read_address_or_wildcard(const Setting& setting) {
  const std::string& address = setting.text();
  const auto refuse = [&] { setting.refuse("\"tcp://HOST:PORT\" with a port from 1 to 65535"); };
  const std::string scheme = "tcp://";
  if (!address.starts_with(scheme)) refuse();
  const std::size_t colon = address.rfind(':');
  if (colon < scheme.size()) refuse();
  std::string host = address.substr(scheme.size(), colon - scheme.size());
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (bracketed) host = host.substr(1, host.size() - 2);
  const auto fits = [&](char c) {
    const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return alphanumeric || c == '.' || c == '-' || c == '_' || (bracketed && (c == ':' || c == '%'));
  };
  if (host.empty() || (host != "*" && !std::ranges::all_of(host, fits))) refuse();
  const std::string port = address.substr(colon + 1);
  const bool digits = !port.empty() && port.size() <= 5 &&
                      std::ranges::all_of(port, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || std::stoi(port) < 1 || std::stoi(port) > 65535) refuse();
  return address;
}

/// An address where others find somebody.
std::string read_address(const Setting& setting) {
  const std::string address = read_address_or_wildcard(setting);
  if (is_wildcard(address))
    setting.refuse("an address where others find it; to listen on all interfaces, give that and bind = " +
                   toml_text(address));
  return address;
}

/// Peers by name; a number is an id.
class PeerNames {
 public:
  explicit PeerNames(const ClusterDescription& description) : count_(description.peer_count) {
    for (const ClusterPeer& peer : description.peers) names_.push_back(peer.name);
    for (std::size_t id = 0; id < names_.size(); ++id) ids_.emplace(names_[id], static_cast<PeerId>(id));
  }

  PeerId find(const Setting& setting) const {
    if (std::holds_alternative<std::int64_t>(setting.value.data)) {
      const std::uint64_t id = setting.count(0);
      if (id >= count_) setting.refuse("a peer's name or its id, 0 to " + std::to_string(count_ - 1));
      return static_cast<PeerId>(id);
    }
    if (!std::holds_alternative<std::string>(setting.value.data)) setting.refuse("a peer's name or its id");
    const std::string& name = setting.text();
    if (const auto found = ids_.find(name); found != ids_.end()) return found->second;
    if (names_.empty()) setting.refuse("a peer's id as a number, or [[peer]] tables that name the peers");
    setting.refuse("a peer's name, did you mean " + toml_text(nearest_name(name, names_)) + "?");
  }

 private:
  PeerId count_;
  std::vector<std::string> names_;
  std::map<std::string, PeerId> ids_;
};

std::vector<ClusterPeer> read_peers(const Setting& array) {
  std::vector<ClusterPeer> peers;
  std::map<std::string, PeerId> names;
  for (const SettingTable& table : tables_of(array)) {
    require_known_keys(table.settings, peer_keys);
    ClusterPeer peer{std::to_string(peers.size()), {}, {}};
    for (const Setting& setting : table.settings) {
      if (setting.key == "peer.name") peer.name = setting.name();
      if (setting.key == "peer.address") peer.address = read_address(setting);
      if (setting.key == "peer.bind") peer.bind = read_address_or_wildcard(setting);
      if (setting.key == "peer.host") peer.host = setting.name();
    }
    if (peer.address.empty() && !peer.bind.empty())
      throw Misuse(table.place + ": peer.bind", toml_text(peer.bind),
                   "expected peer.address, too: where its neighbors find it");
    if (!names.emplace(peer.name, peers.size()).second)
      throw Misuse(table.place + ": peer.name", toml_text(peer.name),
                   "expected a name of its own for each peer");
    peers.push_back(std::move(peer));
  }
  return peers;
}

std::vector<DescribedLink> read_links(const Setting& array, const PeerNames& names) {
  std::vector<DescribedLink> links;
  std::map<std::pair<PeerId, PeerId>, std::string> seen;
  for (const SettingTable& table : tables_of(array)) {
    require_known_keys(table.settings, link_keys);
    const Setting& from = table.required("from");
    const Setting& to = table.required("to");
    DescribedLink link{names.find(from), names.find(to), {}, {}, {}, table.place};
    if (link.a == link.b) to.refuse("another peer than link.from");
    const auto [earlier, is_new] = seen.emplace(std::minmax(link.a, link.b), table.place);
    if (!is_new)
      throw Misuse(table.place + ": the link between " + toml_text(from.value) + " and " +
                   toml_text(to.value) + " was already given at " + earlier->second);
    for (const Setting& setting : table.settings) {
      if (setting.key == "link.latency") link.latency = setting.duration();
      if (setting.key == "link.bandwidth") link.bandwidth = setting.bandwidth();
      if (setting.key == "link.one_way") link.one_way = setting.flag();
      if (setting.key != "link.weight") continue;
      link.weight = setting.number();
      if (*link.weight == 0.0) setting.refuse("a number other than 0: a link of weight 0 is none");
    }
    links.push_back(std::move(link));
  }
  return links;
}

void check_addresses(const ClusterDescription& description) {
  std::map<std::string, std::string> owners;
  if (!description.observer.empty()) owners.emplace(description.observer, "the observer");
  for (const ClusterPeer& peer : description.peers) {
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

}  // namespace

ClusterDescription parse_cluster_description(std::string_view toml_text_of_file, const std::string& source) {
  ClusterDescription description;
  description.source = source;
  std::map<std::string, Setting> settings;
  for (Setting& setting : flattened(parse_toml(toml_text_of_file, source))) {
    require_known_keys({setting}, top_keys);
    settings.emplace(setting.key, std::move(setting));
  }
  const auto find = [&](const std::string& key) -> const Setting* {
    const auto found = settings.find(key);
    return found == settings.end() ? nullptr : &found->second;
  };

  if (const Setting* family = find("family")) description.family = family->name();
  if (const Setting* weights = find("weights")) description.weights = weights->name();
  if (const Setting* observer = find("observer")) description.observer = read_address(*observer);
  if (const Setting* bind = find("observer_bind")) {
    if (description.observer.empty()) bind->refuse("observer, too: where the peers find it");
    description.observer_bind = read_address_or_wildcard(*bind);
  }
  if (const Setting* peers = find("peers"))
    description.peer_count = static_cast<PeerId>(peers->count(1, std::numeric_limits<PeerId>::max()));
  if (const Setting* peer = find("peer")) {
    description.peers = read_peers(*peer);
    const auto listed = static_cast<PeerId>(description.peers.size());
    if (const Setting* peers = find("peers"); peers && description.peer_count != listed)
      peers->refuse("as many as there are [[peer]] tables, " + std::to_string(listed) + ", or no such key");
    description.peer_count = listed;
  }
  if (description.peer_count == 0) throw Misuse(source + ": expected peers = N, or [[peer]] tables");
  check_addresses(description);

  const Setting* const link = find("link");
  if (const Setting* family = find("family"); family && link)
    throw Misuse(family->label() + ": give family or [[link]] tables, not both");
  if (link != nullptr)
    description.links = read_links(*link, PeerNames(description));
  else if (description.family.empty() && description.peer_count > 1)
    throw Misuse(source + ": expected family = \"ring\" or the like, or [[link]] tables");
  return description;
}

ClusterDescription describe(const AnnotatedGraph& drawn, const std::string& source, bool with_weights) {
  const auto as_setting = [](const std::string& place, const std::string& key, const std::string& text) {
    return Setting{key, {text, {std::make_shared<const std::string>(place), 0}}};
  };
  ClusterDescription description;
  description.source = source;
  description.peer_count = drawn.graph.peer_count();
  for (const PeerNotes& notes : drawn.peers) {
    ClusterPeer peer{notes.name, {}, {}};
    const std::string place = source + ", peer " + notes.name;
    if (!notes.address.empty()) peer.address = read_address(as_setting(place, "address", notes.address));
    description.peers.push_back(std::move(peer));
  }
  check_addresses(description);
  for (std::size_t index = 0; index < drawn.links.size(); ++index) {
    const auto [a, b] = drawn.graph.edges()[index];
    const LinkNotes& notes = drawn.links[index];
    const std::string place = source + ", link " + drawn.peers[a].name + " - " + drawn.peers[b].name;
    DescribedLink link{a, b, {}, {}, {}, place};
    if (with_weights) link.weight = notes.weight;
    if (!notes.latency.empty()) link.latency = as_setting(place, "latency", notes.latency).duration();
    if (!notes.bandwidth.empty())
      link.bandwidth = as_setting(place, "bandwidth", notes.bandwidth).bandwidth();
    if (link.weight && (*link.weight == 0.0 || !std::isfinite(*link.weight)))
      throw Misuse(place + ": weight", toml_number(*link.weight), "expected a number other than 0");
    description.links.push_back(std::move(link));
  }
  return description;
}

std::vector<LinkOverride> link_overrides(const ClusterDescription& description) {
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

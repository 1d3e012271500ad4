#include "runtime/cluster/links_file.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "runtime/cluster/peer_names.hpp"
#include "runtime/foundation/whole_file.hpp"
#include "runtime/toml/document.hpp"
#include "runtime/toml/key_row.hpp"
#include "runtime/toml/setting_table.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;

constexpr PeerId most_peers = 2'000;

/// What the file says of all links together.
struct Root {
  PeerId peers = 0;
  std::optional<Duration> latency;
  std::optional<Bandwidth> bandwidth;
};

struct ListedPeer {
  std::string name;
  PortBandwidths port;
};

const std::vector<KeyRow<Root>>& root_keys_of_links() {
  static const std::vector<KeyRow<Root>> keys = {
      {"peers", &Root::peers, kinds::count<PeerId>(1)},
      {"latency", &Root::latency, kinds::optional(kinds::duration())},
      {"bandwidth", &Root::bandwidth, kinds::optional(kinds::bandwidth())},
  };
  return keys;
}

const std::vector<KeyRow<PortBandwidths>>& port_keys() {
  static const std::vector<KeyRow<PortBandwidths>> keys = [] {
    using Row = KeyRow<PortBandwidths>;
    return std::vector<Row>{
        Row("peer.bandwidth", &PortBandwidths::up, kinds::bandwidth()).then([](PortBandwidths& to) {
          to.down = to.up;
        }),
        Row("peer.bandwidth_up", &PortBandwidths::up, kinds::bandwidth()),
        Row("peer.bandwidth_down", &PortBandwidths::down, kinds::bandwidth()),
    };
  }();
  return keys;
}

const std::vector<KeyRow<LinkOverride>>& pair_keys() {
  static const std::vector<KeyRow<LinkOverride>> keys = {
      {"link.latency", &LinkOverride::latency, kinds::optional(kinds::duration())},
      {"link.bandwidth", &LinkOverride::bandwidth, kinds::optional(kinds::bandwidth())},
  };
  return keys;
}

std::vector<ListedPeer> read_listed_peers(const Setting& array) {
  std::vector<std::string> known = names_of(port_keys());
  known.push_back("peer.name");
  std::vector<ListedPeer> peers;
  std::set<std::string> names;
  for (const SettingTable& table : tables_of(array)) {
    require_known_keys(table.settings, known);
    const Setting& name = table.required("name");
    if (!names.insert(name.name()).second) name.refuse("a name of its own for each peer");
    ListedPeer peer{name.name(), {}};
    for (const KeyRow<PortBandwidths>& key : port_keys())  // bandwidth before those of one direction
      for (const Setting& setting : table.settings)
        if (setting.key == key.name()) key.read(setting, {}, peer.port);
    peers.push_back(std::move(peer));
  }
  return peers;
}

using Pairs = std::map<std::pair<PeerId, PeerId>, LinkOverride>;

Pairs read_pairs(const Setting& array, const PeerNames& names) {
  std::vector<std::string> known = names_of(pair_keys());
  known.insert(known.end(), {"link.from", "link.to"});
  Pairs pairs;
  for (const SettingTable& table : tables_of(array)) {
    require_known_keys(table.settings, known);
    const Setting& to = table.required("to");
    LinkOverride link{names.find(table.required("from")), names.find(to), {}, {}};
    if (link.from == link.to) to.refuse("another peer than link.from");
    for (const Setting& setting : table.settings) read_key(pair_keys(), setting, {}, link);
    if (!link.latency && !link.bandwidth) to.refuse("latency or bandwidth beside from and to");
    if (!pairs.emplace(std::pair(link.from, link.to), link).second)
      to.refuse("a pair and direction that no [[link]] above has");
  }
  return pairs;
}

/// Throws Misuse if the file does not say what the link is.
void require_no_hole(const LinksFile& file, const PeerNames& names, const LinkOverride& link,
                     const std::string& source) {
  const auto hole = [&](const std::string& key, const std::string& or_where) {
    throw Misuse(source + ": link.from = " + names.spelling(link.from) +
                 ", link.to = " + names.spelling(link.to) + ": there is no " + key +
                 "; expected one in a [[link]] of this pair and direction, " + or_where);
  };
  if (!link.latency) hole("latency", "or latency for all links at the head of the file");
  if (!link.bandwidth && file.ports[link.from].up.unlimited() && file.ports[link.to].down.unlimited())
    hole("bandwidth", names.are_numbers() ? "or bandwidth for all links at the head of the file"
                                          : "at the head of the file, or in the [[peer]] of one of them");
}

}  // namespace

LinksFile parse_links(std::string_view toml, const std::string& source) {
  const TomlTable document = parse_toml(toml, source);
  require_arrays_of_tables(document, {"peer", "link"});
  std::vector<std::string> known = names_of(root_keys_of_links());
  known.insert(known.end(), {"peer", "link"});
  const std::vector<Setting> settings = flattened(document);
  require_known_keys(settings, known);
  const auto find = [&](const std::string& key) -> const Setting* {
    const auto found = std::ranges::find(settings, key, &Setting::key);
    return found == settings.end() ? nullptr : &*found;
  };
  Root root;
  for (const Setting& setting : settings) read_key(root_keys_of_links(), setting, {}, root);

  LinksFile file;
  if (const Setting* const peers = find("peer")) {
    if (const Setting* const count = find("peers"))
      count->refuse("either peers or [[peer]] tables, which count them");
    for (ListedPeer& peer : read_listed_peers(*peers)) {
      file.names.push_back(std::move(peer.name));
      file.ports.push_back(peer.port);
    }
  }
  const PeerNames names(find("peer") ? file.peer_count() : root.peers, file.names);
  for (PeerId peer = file.peer_count(); peer < root.peers; ++peer) {
    if (peer == most_peers) find("peers")->refuse("at most " + std::to_string(most_peers));
    file.names.push_back(std::to_string(peer));
    file.ports.emplace_back();
  }
  if (file.names.empty()) throw Misuse(source + ": expected peers = N, or [[peer]] tables");
  if (file.names.size() > most_peers)
    throw Misuse(source + ": at most " + std::to_string(most_peers) + " peers can be listed");
  Pairs pairs;
  if (const Setting* const links = find("link")) pairs = read_pairs(*links, names);
  for (PeerId from = 0; from < file.peer_count(); ++from)
    for (PeerId to = 0; to < file.peer_count(); ++to) {
      if (from == to) continue;
      LinkOverride link{from, to, {}, {}};
      if (const auto given = pairs.find({from, to}); given != pairs.end()) link = given->second;
      if (!link.latency) link.latency = root.latency;
      if (!link.bandwidth) link.bandwidth = root.bandwidth;
      require_no_hole(file, names, link, source);
      file.links.push_back(link);
    }
  return file;
}

LinksFile load_links_file(const fs::path& file, const std::string& label) {
  return parse_links(read_text_file(label, file), file);
}

std::string to_toml(const LinksFile& links) {
  std::string text;
  const auto add = [&text](const std::string& key, const std::string& value) {
    text += key + " = " + toml_text(value) + "\n";
  };
  for (PeerId peer = 0; peer < links.peer_count(); ++peer) {
    text += (peer > 0 ? "\n[[peer]]\n" : "[[peer]]\n");
    add("name", links.names[peer]);
    const PortBandwidths& port = links.ports[peer];
    if (port.up == port.down) {
      if (!port.up.unlimited()) add("bandwidth", to_text(port.up));
    } else {
      add("bandwidth_up", to_text(port.up));
      add("bandwidth_down", to_text(port.down));
    }
  }
  for (const LinkOverride& link : links.links) {
    text += "\n[[link]]\n";
    add("from", links.names[link.from]);
    add("to", links.names[link.to]);
    if (link.latency) add("latency", to_text(*link.latency));
    if (link.bandwidth) add("bandwidth", to_text(*link.bandwidth));
  }
  return text;
}

PairwiseLinks pairwise(const LinksFile& links) {
  const auto rate = [](const Bandwidth& bandwidth) {
    return bandwidth.unlimited() ? PairwiseLinks::unlimited : bandwidth.bytes_per_s;
  };
  PairwiseLinks result(links.peer_count());
  for (PeerId peer = 0; peer < links.peer_count(); ++peer)
    result.port(peer) = {rate(links.ports[peer].up), rate(links.ports[peer].down)};
  for (const LinkOverride& link : links.links)
    result.link(link.from, link.to) = {seconds(link.latency.value_or(Duration{0})),
                                       rate(link.bandwidth.value_or(Bandwidth{}))};
  return result;
}

}  // namespace hearsay

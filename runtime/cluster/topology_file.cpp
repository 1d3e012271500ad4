#include "runtime/cluster/topology_file.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <optional>
#include <utility>

#include "runtime/cluster/cut_off_peers.hpp"
#include "runtime/cluster/drawn_description.hpp"
#include "runtime/cluster/launch_settings.hpp"
#include "runtime/cluster/name_range.hpp"
#include "runtime/cluster/topology_description.hpp"
#include "runtime/foundation/whole_file.hpp"
#include "runtime/toml/document.hpp"
#include "topology/families.hpp"
#include "topology/foundation/host_refusal.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {
namespace {

namespace fs = std::filesystem;

/// Returns `make()`. A Misuse that it throws gets the file's name in front.
template <class Make>
auto in_file(const std::string& source, const Make& make) {
  try {
    return make();
  } catch (const Misuse& misuse) {
    throw_reworded(misuse, source + ": " + misuse.what());
  }
}

/// The value of NamedTopology::weights for a topology with one-way links.
const std::string one_way_weights = "one-way";

Edge edge_of(const DescribedLink& link) { return {std::min(link.a, link.b), std::max(link.a, link.b)}; }

/// Returns the name of the weights: "explicit" if the file's links have weights, else the file's name, else
/// the run's. "one-way" if the file has one-way links. Throws Misuse if the run's name contradicts the file.
std::string weights_name(const TopologyDescription& description, const std::string& of_the_run) {
  const auto has_weight = [](const DescribedLink& link) { return link.weight.has_value(); };
  const auto with = std::ranges::find_if(description.links, has_weight);
  const auto without = std::ranges::find_if_not(description.links, has_weight);
  const bool some = with != description.links.end();
  const bool all = without == description.links.end();
  if (some && !all)
    throw Misuse(without->place + ": link.weight is missing here and given at " + with->place +
                 ", expected a weight on every link or on none");
  if (some && !description.weights.empty() && description.weights != "explicit")
    throw Misuse(with->place + ": link.weight", toml_number(*with->weight),
                 "expected weights = \"explicit\", not " + toml_text(description.weights));
  const std::string of_the_file = some ? "explicit" : description.weights;
  const auto one_way = std::ranges::find_if(description.links, &DescribedLink::one_way);
  if (one_way != description.links.end()) {
    const std::string& wanted = of_the_file.empty() ? of_the_run : of_the_file;
    if (wanted != TopologySettings{}.weights || !of_the_file.empty())
      throw Misuse(one_way->place + ": link.one_way", "true",
                   "expected no weights beside one-way links, not " + toml_text(wanted) +
                       ": the methods that take such links share equally");
    return one_way_weights;
  }
  const std::string& name = of_the_file.empty() ? of_the_run : of_the_file;
  if (name == "explicit" && !description.family.empty())
    throw Misuse(description.source + ": weights", "\"explicit\"",
                 "expected [[link]] tables that give them, not a family");
  if (name == "explicit" && !some && !description.links.empty())
    throw Misuse(description.source + ": weights", "\"explicit\"", "expected a weight on every link");
  if (of_the_run != TopologySettings{}.weights && name != of_the_run)
    throw Misuse("topology.weights", toml_text(of_the_run),
                 "expected " + toml_text(name) + ", the weights of " + description.source +
                     ", or none: they are its own");
  return name;
}

std::string eigenvalue_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::vector<std::string> names_of_peers(const std::vector<NamedPeer>& peers) {
  std::vector<std::string> names;
  for (const NamedPeer& peer : peers) names.push_back(peer.name);
  return names;
}

MixingMatrix make_one_way_mixing(const TopologyDescription& description) {
  std::vector<OneWayLink> links;
  for (const DescribedLink& link : description.links) {
    links.push_back({link.a, link.b});
    if (!link.one_way) links.push_back({link.b, link.a});
  }
  return MixingMatrix::directed(description.peer_count, links, names_of_peers(description.peers));
}

MixingMatrix make_explicit_mixing(const Graph& graph, const TopologyDescription& description) {
  std::vector<DescribedLink> links = description.links;
  const std::vector<NamedPeer>& peers = description.peers;
  std::ranges::sort(links, {}, edge_of);
  std::vector<double> weights;
  for (const DescribedLink& link : links) weights.push_back(*link.weight);
  MixingMatrix mixing = MixingMatrix::explicit_weights(graph, weights, names_of_peers(peers));
  require_self_weights(mixing, description.self_weights, names_of_peers(peers));
  const Spectrum of_mixing = spectrum(mixing);
  if (of_mixing.second > 1.0 - 1e-12)
    for (const DescribedLink& link : links)
      if (*link.weight < 0.0)
        throw Misuse("with these link weights the peers never agree: the weight " +
                     eigenvalue_text(*link.weight) + " between " + peers[link.a].name + " and " +
                     peers[link.b].name + " drives the two apart; expected a positive one");
  if (of_mixing.rho > 1.0 - 1e-12)
    throw Misuse("with these link weights the peers never agree: the mixing matrix has eigenvalues from " +
                 eigenvalue_text(of_mixing.smallest) + " to " + eigenvalue_text(of_mixing.second) +
                 " besides 1, expected all between -1 and 1; take smaller weights");
  return mixing;
}

/// A format of graphs, by the ending of its files.
struct GraphFormat {
  std::string_view ending;
  AnnotatedGraph (*parse)(std::string_view text, const GraphMending& mending);
};
constexpr GraphFormat graph_formats[] = {
    {".graphml", parse_graphml},    {".dot", parse_dot},         {".gv", parse_dot},
    {".gexf", parse_gexf},          {".gml", parse_gml},         {".json", parse_node_link},
    {".edgelist", parse_edge_list}, {".edges", parse_edge_list},
};

std::string lower_case_ending(const fs::path& file) {
  std::string ending = file.extension();
  std::ranges::transform(ending, ending.begin(),
                         [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return ending;
}

/// Returns the description of a TOML file. If one with another ending is no TOML, a Misuse names the formats.
TopologyDescription parse_toml_description(const std::string& text, const std::string& source,
                                           const std::string& ending) {
  try {
    return parse_cluster_description(text, source);
  } catch (const Misuse& misuse) {
    if (ending == ".toml") throw;
    std::string endings;
    for (const GraphFormat& format : graph_formats) endings += " " + std::string(format.ending);
    throw Misuse(std::string(misuse.what()) + "; a file whose name ends in none of" + endings +
                 " is read as TOML");
  }
}

TopologyDescription description_in(const std::string& text, const fs::path& file, bool with_drawn_weights,
                                   const GraphMending& asked = {}) {
  const std::string source = file;
  const std::string ending = lower_case_ending(file);
  GraphMending mending = asked;
  mending.file = source;
  for (const GraphFormat& format : graph_formats)
    if (format.ending == ending)
      return describe(in_file(source, [&] { return format.parse(text, mending); }), source,
                      with_drawn_weights);
  TopologyDescription description = parse_toml_description(text, source, ending);
  const auto has_network = [](const DescribedLink& link) { return link.latency || link.bandwidth; };
  if (mending.network_from_geo && std::ranges::none_of(description.links, has_network))
    throw Misuse(source + ": no link has a latency or a bandwidth, and peers in TOML have no places");
  return description;
}

TopologyDescription load_description(const fs::path& file, bool with_drawn_weights,
                                     const GraphMending& asked = {}) {
  return description_in(read_text_file(file), file, with_drawn_weights, asked);
}

/// Returns the weight that peer `to` gives to its neighbor `from`; 0 if `to` does not hear `from`.
double weight_of(const MixingMatrix& mixing, PeerId to, PeerId from) {
  const auto& hears = mixing.row(to).hears;
  const auto found = std::ranges::find(hears, from, &WeightedNeighbor::id);
  return found == hears.end() ? 0.0 : found->weight;
}

/// Returns the latency and bandwidth of `edge` in the direction from a to b. In a topology file both
/// directions are equal.
LinkOverride network_of(const std::vector<LinkOverride>& links, Edge edge) {
  const auto ends = [](const LinkOverride& link) { return std::pair(link.from, link.to); };
  const auto found = std::ranges::lower_bound(links, std::pair(edge.a, edge.b), {}, ends);
  if (found == links.end() || ends(*found) != std::pair(edge.a, edge.b)) return {edge.a, edge.b, {}, {}};
  return *found;
}

/// A [[peer]] table that is written for one peer, or for a row of peers, with ranges.
class PeerTable {
 public:
  explicit PeerTable(const NamedPeer& first)
      : first_(first),
        name_(first.name),
        address_(first.address),
        host_(first.host),
        directory_(first.launch.directory) {}

  /// True if the table can stand for `next`, too, and now does.
  bool stands_for(const NamedPeer& next) {
    NamedPeer alike = first_;
    alike.name = next.name;
    alike.address = next.address;
    alike.host = next.host;
    alike.launch.directory = next.launch.directory;
    if (alike != next || !name_.continues_with(next.name) || !address_.continues_with(next.address) ||
        !host_.continues_with(next.host) || !directory_.continues_with(next.launch.directory))
      return false;
    name_.add(next.name);
    address_.add(next.address);
    host_.add(next.host);
    directory_.add(next.launch.directory);
    return true;
  }

  std::string text() const {
    std::string text = "\n[[peer]]\n";
    const auto add = [&text](const std::string& key, const std::string& value) {
      if (!value.empty()) text += key + " = " + toml_text(value) + "\n";
    };
    add("name", name_.spelling());
    add("address", address_.spelling());
    add("bind", first_.bind);
    add("host", host_.spelling());
    LaunchSettings launch = first_.launch;
    launch.directory = directory_.spelling();
    return text + to_toml(launch);
  }

 private:
  const NamedPeer& first_;
  NameRow name_;
  NameRow address_;
  NameRow host_;
  NameRow directory_;
};

bool is_plain(const NamedPeer& peer, PeerId id) { return peer == NamedPeer{std::to_string(id), {}, {}}; }

}  // namespace

NamedTopology build_topology(TopologyDescription description, std::uint64_t seed,
                             const std::string& of_the_run, const GraphMending& mending) {
  if (mending.undirected)
    for (DescribedLink& link : description.links) link.one_way = false;
  if (mending.largest_component && description.family.empty())
    in_file(description.source, [&] { keep_largest_component(description); });
  const std::string named = weights_name(description, of_the_run);
  const std::string weights = named == "auto" ? "metropolis" : named;
  const Graph graph = in_file(description.source, [&] {
    if (!description.family.empty()) return make_graph(description.family, description.peer_count, seed);
    Graph listed = listed_graph(description);
    require_connected(listed, description, mending);
    return listed;
  });
  for (PeerId peer = static_cast<PeerId>(description.peers.size()); peer < description.peer_count; ++peer)
    description.peers.push_back({std::to_string(peer), {}, {}});
  const MixingMatrix mixing = in_file(description.source, [&] {
    if (weights == one_way_weights) return make_one_way_mixing(description);
    return weights == "explicit" ? make_explicit_mixing(graph, description) : make_mixing(weights, graph);
  });
  std::vector<LinkOverride> overrides = link_overrides(description);
  return {graph,
          mixing,
          std::move(description.peers),
          std::move(overrides),
          std::move(description.observer),
          std::move(description.family),
          weights,
          std::move(description.observer_bind),
          named == "auto",
          std::move(description.notices)};
}

NamedTopology load_topology_file(const fs::path& file, std::uint64_t seed, const std::string& weights,
                                 GraphMending mending) {
  mending.file = file;
  return build_topology(load_description(file, weights == "explicit", mending), seed, weights, mending);
}

bool has_ending_of_topology(const fs::path& file) {
  const std::string ending = lower_case_ending(file);
  return ending == ".toml" ||
         std::ranges::find(graph_formats, ending, &GraphFormat::ending) != std::end(graph_formats);
}

NamedTopology make_named_topology(const TopologySettings& topology, std::uint64_t seed) {
  const bool from_geo = topology.network_from == NetworkFrom::geo;
  if (!topology.file.empty())
    return load_topology_file(topology.file, seed, topology.weights, {.network_from_geo = from_geo});
  if (from_geo)
    throw Misuse("topology.network_from", "\"geo\"", "expected topology.file, with the places of the peers");
  if (topology.weights == "explicit")
    throw Misuse("topology.weights", "\"explicit\"",
                 "expected a topology file that gives a weight on every link (topology.file)");
  const std::string kind = topology.kind == "auto" ? "ring" : topology.kind;
  Graph graph = make_graph(kind, topology.peers, seed);
  MixingMatrix mixing = make_mixing(topology.weights, graph);
  std::vector<NamedPeer> peers;
  peers.reserve(topology.peers);
  for (PeerId peer = 0; peer < topology.peers; ++peer) peers.push_back({std::to_string(peer), {}, {}});
  const bool may_change = topology.weights == "auto";
  return {.graph = std::move(graph),
          .mixing = std::move(mixing),
          .peers = std::move(peers),
          .links = {},
          .observer = {},
          .family = kind,
          .weights = may_change ? "metropolis" : topology.weights,
          .weights_may_change = may_change};
}

PeerId peer_count_of_topology_file(const fs::path& file, const std::string& label) {
  return description_in(read_text_file(label, file), file, false).peer_count;
}

bool has_addresses(const fs::path& file) {
  const TopologyDescription description = load_description(file, false);
  return !description.peers.empty() && !description.peers.front().address.empty();
}

AnnotatedGraph annotated(const NamedTopology& topology) {
  AnnotatedGraph drawn =
      annotated(topology.graph, topology.weights == "explicit" ? &topology.mixing : nullptr);
  for (std::size_t peer = 0; peer < topology.peers.size(); ++peer)
    drawn.peers[peer] = {topology.peers[peer].name, topology.peers[peer].address};
  for (std::size_t index = 0; index < drawn.links.size(); ++index) {
    const LinkOverride own = network_of(topology.links, topology.graph.edges()[index]);
    if (own.latency) drawn.links[index].latency = to_text(*own.latency);
    if (own.bandwidth) drawn.links[index].bandwidth = to_text(*own.bandwidth);
  }
  return drawn;
}

std::string to_toml(const NamedTopology& topology) {
  std::string text;
  const auto add = [&text](const std::string& key, const std::string& value) {
    text += key + " = " + value + "\n";
  };
  const auto add_text = [&](const std::string& key, const std::string& value) {
    if (!value.empty()) add(key, toml_text(value));
  };
  const PeerId count = topology.graph.peer_count();
  PeerId plain = 0;
  while (plain < count && is_plain(topology.peers[plain], plain)) ++plain;

  add_text("family", topology.family);
  const bool directed = topology.weights == one_way_weights;
  if (!directed) add_text("weights", topology.weights);
  add_text("observer", topology.observer);
  add_text("observer_bind", topology.observer_bind);
  if (plain == count) add("peers", std::to_string(count));
  for (PeerId peer = 0; plain < count && peer < count;) {
    PeerTable table(topology.peers[peer]);
    while (++peer < count && table.stands_for(topology.peers[peer])) {
    }
    text += table.text();
  }
  if (!topology.family.empty()) return text;

  const auto spelled_peer = [&](PeerId peer) {
    return plain == count ? std::to_string(peer) : toml_text(topology.peers[peer].name);
  };
  for (const Edge& edge : topology.graph.edges()) {
    const bool upward = weight_of(topology.mixing, edge.b, edge.a) != 0.0;
    const auto [a, b] = upward ? edge : Edge{edge.b, edge.a};
    text += "\n[[link]]\n";
    add("from", spelled_peer(a));
    add("to", spelled_peer(b));
    if (directed && weight_of(topology.mixing, a, b) == 0.0) add("one_way", "true");
    if (topology.weights == "explicit") add("weight", toml_number(weight_of(topology.mixing, b, a)));
    const LinkOverride own = network_of(topology.links, {a, b});
    if (own.latency) add("latency", toml_text(to_text(*own.latency)));
    if (own.bandwidth) add("bandwidth", toml_text(to_text(*own.bandwidth)));
  }
  return text;
}

}  // namespace hearsay

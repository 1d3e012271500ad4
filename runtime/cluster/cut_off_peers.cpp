#include "runtime/cluster/cut_off_peers.hpp"

#include <algorithm>
#include <utility>

#include "topology/foundation/enumeration.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {
namespace {

/// Returns for every peer whether it is in the largest part of the graph.
std::vector<bool> is_in_largest(const Graph& graph) {
  const std::vector<std::size_t> component = graph.components();
  std::vector<std::size_t> sizes(graph.component_count());
  for (const std::size_t number : component) ++sizes[number];
  std::size_t largest = component.front();
  for (const std::size_t number : component)
    if (sizes[number] > sizes[largest]) largest = number;
  std::vector<bool> is_in(component.size());
  for (std::size_t peer = 0; peer < is_in.size(); ++peer) is_in[peer] = component[peer] == largest;
  return is_in;
}

std::string name_of(const TopologyDescription& description, std::size_t peer) {
  return peer < description.peers.size() ? description.peers[peer].name : std::to_string(peer);
}

/// Returns "A", "A and B" or, for many, "A, B, C and 7 more" for the peers that are not in the largest part.
std::string names_of_others(const TopologyDescription& description, const std::vector<bool>& is_in) {
  constexpr std::size_t most_named = 20;
  std::vector<std::string> names;
  for (std::size_t peer = 0; peer < is_in.size(); ++peer)
    if (!is_in[peer]) names.push_back(name_of(description, peer));
  if (names.size() > most_named) {
    const std::string others = std::to_string(names.size() - most_named) + " more";
    names.resize(most_named);
    names.push_back(others);
  }
  return enumerated(names);
}

}  // namespace

Graph listed_graph(const TopologyDescription& description) {
  // n peers need n - 1 links to be connected. This is checked first if peers are only counted, so that a
  // wrong `peers` does not exhaust the memory.
  if (description.peers.empty() && description.links.size() + 1 < description.peer_count)
    throw Misuse(std::to_string(description.links.size()) +
                 (description.links.size() == 1 ? " link" : " links") + " cannot connect " +
                 std::to_string(description.peer_count) + " peers, expected at least " +
                 std::to_string(description.peer_count - 1));
  std::vector<Edge> edges;
  for (const DescribedLink& link : description.links)
    edges.push_back({std::min(link.a, link.b), std::max(link.a, link.b)});
  return {description.peer_count, std::move(edges)};
}

void require_connected(const Graph& graph, const TopologyDescription& description,
                       const GraphMending& mending) {
  const std::vector<bool> is_in = is_in_largest(graph);
  const auto kept = std::ranges::count(is_in, true);
  const auto cut_off = static_cast<std::ptrdiff_t>(is_in.size()) - kept;
  if (cut_off == 0) return;
  GraphMending wanted = mending;
  wanted.largest_component = true;
  throw Misuse("the graph is not connected: no link leads from " + names_of_others(description, is_in) +
               " to the other " + std::to_string(kept) + " of " + std::to_string(is_in.size()) +
               " peers; add links, or leave out who is cut off: `" + mending_command(wanted) + "`");
}

void keep_largest_component(TopologyDescription& description) {
  const std::vector<bool> is_in = is_in_largest(listed_graph(description));
  const auto kept = static_cast<PeerId>(std::ranges::count(is_in, true));
  if (kept == is_in.size()) return;
  description.notices.push_back(
      std::to_string(is_in.size() - kept) + " of " + std::to_string(is_in.size()) +
      " peers left out, since no link leads to the others: " + names_of_others(description, is_in));
  std::vector<PeerId> new_id(is_in.size());
  PeerId next = 0;
  for (std::size_t peer = 0; peer < is_in.size(); ++peer)
    if (is_in[peer]) new_id[peer] = next++;
  std::erase_if(description.links, [&](const DescribedLink& link) { return !is_in[link.a]; });
  for (DescribedLink& link : description.links) {
    link.a = new_id[link.a];
    link.b = new_id[link.b];
  }
  std::map<PeerId, double> self_weights;
  for (const auto& [peer, weight] : description.self_weights)
    if (is_in[peer]) self_weights.emplace(new_id[peer], weight);
  description.self_weights = std::move(self_weights);
  std::vector<NamedPeer> peers;
  for (std::size_t peer = 0; peer < description.peers.size(); ++peer)
    if (is_in[peer]) peers.push_back(std::move(description.peers[peer]));
  description.peers = std::move(peers);
  description.peer_count = kept;
}

}  // namespace hearsay

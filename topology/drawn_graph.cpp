#include "topology/drawn_graph.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {
namespace {

bool is_digit(char letter) { return '0' <= letter && letter <= '9'; }

/// The digits with which `text` begins, without leading zeros.
std::string_view leading_number(std::string_view text) {
  std::size_t end = 0;
  while (end < text.size() && is_digit(text[end])) ++end;
  const std::string_view digits = text.substr(0, end);
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

/// True if `left` comes before `right` in natural order: letter by letter, but runs of digits by their value.
/// If the names differ in leading zeros only, they are compared as text.
bool naturally_before(const std::string& left, const std::string& right) {
  std::string_view a = left;
  std::string_view b = right;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a[0]) && is_digit(b[0])) {
      const std::string_view x = leading_number(a);
      const std::string_view y = leading_number(b);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      a.remove_prefix(static_cast<std::size_t>(x.data() + x.size() - a.data()));
      b.remove_prefix(static_cast<std::size_t>(y.data() + y.size() - b.data()));
    } else {
      if (a[0] != b[0]) return static_cast<unsigned char>(a[0]) < static_cast<unsigned char>(b[0]);
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
  }
  if (a.empty() && b.empty()) return left < right;
  return a.empty();
}

std::string drawn_link_text(const DrawnLink& link) {
  return "link " + link.from + (link.directed ? " -> " : " - ") + link.to;
}

LinkNotes notes_of(const DrawnLink& link, const std::string& format) {
  LinkNotes notes{std::nullopt, link.latency, link.bandwidth};
  if (link.weight.empty()) return notes;
  double weight = 0.0;
  if (!parse_number(link.weight, weight))
    throw Misuse(format + ": " + drawn_link_text(link) + ": weight = " + link.weight + ": expected a number");
  notes.weight = weight;
  return notes;
}

}  // namespace

AnnotatedGraph annotated(DrawnGraph drawn, const std::string& format) {
  if (drawn.peers.empty()) throw Misuse(format + ": the graph has no nodes");
  if (drawn.peers.size() > std::numeric_limits<PeerId>::max()) throw Misuse(format + ": too many nodes");
  std::sort(drawn.peers.begin(), drawn.peers.end(),
            [](const PeerNotes& a, const PeerNotes& b) { return naturally_before(a.name, b.name); });
  std::map<std::string, PeerId> ids;
  for (const PeerNotes& peer : drawn.peers)
    if (!ids.emplace(peer.name, static_cast<PeerId>(ids.size())).second)
      throw Misuse(format + ": node " + peer.name + " is there twice");

  std::map<Edge, LinkNotes> links;
  std::map<Edge, const DrawnLink*> without_way_back;
  for (const DrawnLink& link : drawn.links) {
    for (const std::string& end : {link.from, link.to})
      if (!ids.contains(end))
        throw Misuse(format + ": " + drawn_link_text(link) + ": there is no node " + end);
    const auto [a, b] = std::minmax(ids.at(link.from), ids.at(link.to));
    if (a == b) throw Misuse(format + ": " + drawn_link_text(link) + ": a peer cannot be linked with itself");
    const auto [place, fresh] = links.emplace(Edge{a, b}, notes_of(link, format));
    if (fresh) {
      if (link.directed) without_way_back[{a, b}] = &link;
      continue;
    }
    const auto forward = without_way_back.find({a, b});
    if (!link.directed || forward == without_way_back.end() || forward->second->from == link.from)
      throw Misuse(format + ": " + drawn_link_text(link) + " is there twice");
    if (notes_of(link, format) != place->second)
      throw Misuse(format + ": " + drawn_link_text(link) + " and its opposite differ in their attributes");
    without_way_back.erase(forward);
  }
  if (!without_way_back.empty())
    throw Misuse(format + ": " + drawn_link_text(*without_way_back.begin()->second) +
                 " has no opposite; links go both ways");

  std::vector<Edge> edges;
  std::vector<LinkNotes> notes;
  for (auto& [edge, note] : links) {
    edges.push_back(edge);
    notes.push_back(std::move(note));
  }
  return {Graph(static_cast<PeerId>(drawn.peers.size()), std::move(edges)), std::move(drawn.peers),
          std::move(notes)};
}

AnnotatedGraph annotated(const Graph& graph, const MixingMatrix* mixing,
                         const std::vector<std::string>& names) {
  ensure(names.empty() || names.size() == graph.peer_count(), "there is a name for every peer or for none");
  ensure(!mixing || (mixing->symmetric() && mixing->peer_count() == graph.peer_count()),
         "weights of links are those of a symmetric matrix on the graph");
  AnnotatedGraph result{graph, {}, std::vector<LinkNotes>(graph.edges().size())};
  for (PeerId peer = 0; peer < graph.peer_count(); ++peer)
    result.peers.push_back({names.empty() ? std::to_string(peer) : names[peer], ""});
  for (std::size_t k = 0; mixing && k < graph.edges().size(); ++k) {
    const auto [a, b] = graph.edges()[k];
    for (const WeightedNeighbor& neighbor : mixing->row(a).hears)
      if (neighbor.id == b) result.links[k].weight = neighbor.weight;
  }
  return result;
}

MixingMatrix explicit_mixing(const AnnotatedGraph& annotated) {
  std::vector<double> weights;
  std::vector<std::string> names;
  for (const PeerNotes& peer : annotated.peers) names.push_back(peer.name);
  for (std::size_t k = 0; k < annotated.links.size(); ++k) {
    const auto [a, b] = annotated.graph.edges()[k];
    if (!annotated.links[k].weight)
      throw Misuse("link " + names[a] + " - " + names[b] + ": explicit weights need one on every link");
    weights.push_back(*annotated.links[k].weight);
  }
  return MixingMatrix::explicit_weights(annotated.graph, weights, names);
}

}  // namespace hearsay

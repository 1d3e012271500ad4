#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/graph.hpp"
#include "topology/mixing.hpp"

namespace hearsay {

/// What a drawn graph may say about a peer.
struct PeerNotes {
  std::string name;
  std::string address;  ///< as written; empty if absent
  bool operator==(const PeerNotes&) const = default;
};

/// What a drawn graph may say about a link; texts as written, empty if absent.
struct LinkNotes {
  std::optional<double> weight;
  std::string latency;
  std::string bandwidth;
  bool operator==(const LinkNotes&) const = default;
};

/// A graph with the attributes of ours that DOT and GraphML files carry.
struct AnnotatedGraph {
  Graph graph;
  std::vector<PeerNotes> peers;  ///< by peer
  std::vector<LinkNotes> links;  ///< by link, parallel to graph.edges()
};

/// The graph with peers named 0 ... n-1 unless names are given, and with the weights of a symmetric W on its
/// links if there is one.
AnnotatedGraph annotated(const Graph& graph, const MixingMatrix* mixing = nullptr,
                         const std::vector<std::string>& names = {});

/// The matrix of the weights on the links; a Misuse that names the link that has none.
MixingMatrix explicit_mixing(const AnnotatedGraph& annotated);

// Text in, text out: files belong to whoever asks. Both formats are read as networkx, Graphviz and yEd write
// them: nodes with the attribute "address", edges with "weight", "latency", "bandwidth", all optional, and
// whatever else is there is passed over. A directed graph is folded: each arc needs its opposite, with the same
// attributes. Peers are numbered in the natural order of their names, runs of digits by their value: 0, 1, ...
// 9, 10 and peer9, peer10, wherever in the file they stand. Misuse names the first thing that is wrong: a syntax
// error, a loop, a double, an arc without its opposite, a weight that is no number, an empty graph.

AnnotatedGraph parse_dot(std::string_view text);
AnnotatedGraph parse_graphml(std::string_view text);
/// Misuse on a backslash in a name or attribute, which DOT cannot quote.
std::string to_dot(const AnnotatedGraph& annotated);
std::string to_graphml(const AnnotatedGraph& annotated);

}  // namespace hearsay

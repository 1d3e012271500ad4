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

/// What a drawn graph may say about a link. Texts are as written, empty if absent.
struct LinkNotes {
  std::optional<double> weight;
  std::string latency;
  std::string bandwidth;
  bool operator==(const LinkNotes&) const = default;
};

/// A graph with our attributes, which DOT and GraphML files carry.
struct AnnotatedGraph {
  Graph graph;
  std::vector<PeerNotes> peers;  ///< by peer
  std::vector<LinkNotes> links;  ///< by link, parallel to graph.edges()
};

/// The graph with names for its peers (0 ... n-1 unless names are given) and weights on its links (if a
/// symmetric W is given).
AnnotatedGraph annotated(const Graph& graph, const MixingMatrix* mixing = nullptr,
                         const std::vector<std::string>& names = {});

/// The matrix of the weights on the links. Misuse names a link that has no weight.
MixingMatrix explicit_mixing(const AnnotatedGraph& annotated);

// Text in, text out: the caller reads and writes the files. Both formats are read as networkx, Graphviz and
// yEd write them: nodes with the attribute "address", edges with "weight", "latency", "bandwidth", all
// optional. Everything else is ignored. A directed graph is folded: each arc needs its opposite, with the
// same attributes. Peers are numbered in the natural order of their names, in which runs of digits count by
// their value (0, 1, ... 9, 10 and peer9, peer10), not in the file's order. Misuse names the first error: a
// syntax error, a loop, a double, an arc without its opposite, a weight that is no number, an empty graph.

AnnotatedGraph parse_dot(std::string_view text);
AnnotatedGraph parse_graphml(std::string_view text);
/// Misuse if a name or attribute has a backslash, which DOT cannot quote.
std::string to_dot(const AnnotatedGraph& annotated);
std::string to_graphml(const AnnotatedGraph& annotated);

}  // namespace hearsay

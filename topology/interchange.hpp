#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/graph.hpp"
#include "topology/mixing.hpp"

namespace hearsay {

/// What a GraphML or DOT file may say about a peer.
struct PeerNotes {
  std::string name;
  std::string address;  ///< as written; empty if absent
  bool operator==(const PeerNotes&) const = default;
};

/// What a GraphML or DOT file may say about a link. Texts are as written, empty if absent.
struct LinkNotes {
  std::optional<double> weight;
  std::string latency;
  std::string bandwidth;
  bool operator==(const LinkNotes&) const = default;
};

/// A graph with the attributes that GraphML and DOT files carry for us.
struct AnnotatedGraph {
  Graph graph;
  std::vector<PeerNotes> peers;  ///< by peer
  std::vector<LinkNotes> links;  ///< by link, parallel to graph.edges()
};

/// Returns the graph with `names` for its peers (0 ... n-1 if empty) and, if `mixing` is given, the weights
/// of that symmetric matrix on its links.
AnnotatedGraph annotated(const Graph& graph, const MixingMatrix* mixing = nullptr,
                         const std::vector<std::string>& names = {});

/// Returns the mixing matrix with the weights that are on the links. Misuse names a link without a weight.
MixingMatrix explicit_mixing(const AnnotatedGraph& annotated);

// Text in, text out: the caller reads and writes the files. Both formats are read as networkx, Graphviz and
// yEd write them: nodes with the attribute "address", edges with "weight", "latency", "bandwidth", all
// optional. Everything else is ignored. A directed graph is folded: each arc needs its opposite, with the
// same attributes. Peers are numbered in the natural order of their names, not in the file's order. Natural
// order compares runs of digits by their value (0, 1, ... 9, 10 and peer9, peer10). Misuse names the first
// error: a syntax error, a link from a peer to itself, a link or a node given twice, an arc without its
// opposite, a weight that is not a number, a graph without nodes.

AnnotatedGraph parse_dot(std::string_view text);
AnnotatedGraph parse_graphml(std::string_view text);
/// Misuse if a name or an attribute contains a backslash, which cannot be quoted in DOT.
std::string to_dot(const AnnotatedGraph& annotated);
std::string to_graphml(const AnnotatedGraph& annotated);

}  // namespace hearsay

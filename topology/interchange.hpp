#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/graph.hpp"
#include "topology/mixing.hpp"

namespace hearsay {

/// What a graph file may say about a peer.
struct PeerNotes {
  std::string name;
  std::string address;  ///< as written; empty if absent
  bool operator==(const PeerNotes&) const = default;
};

/// What a graph file may say about a link. Texts are as written, empty if absent.
struct LinkNotes {
  std::optional<double> weight;
  std::string latency;
  std::string bandwidth;
  std::string no_weight = {};  ///< what stands in the place of the weight, if it is no number: "NaN"

  /// What is no weight makes no difference between links.
  bool operator==(const LinkNotes& other) const {
    return weight == other.weight && latency == other.latency && bandwidth == other.bandwidth;
  }
};

/// Misuse if the notes have something else than a number in the place of the weight. `place` is the link.
void require_number(const LinkNotes& notes, const std::string& place);

/// All that is drawn between two peers, if it is more than a link: what holds from the lower id to the higher
/// one, and the way back. Links hold both ways. Which notes the one link has that is made of them needs
/// units, so it is for the caller to decide.
struct LinkStrands {
  std::vector<LinkNotes> there;
  std::vector<LinkNotes> back;
};

/// A graph with the attributes that graph files carry for us.
struct AnnotatedGraph {
  Graph graph;
  std::vector<PeerNotes> peers;                ///< by peer
  std::vector<LinkNotes> links;                ///< by link, parallel to graph.edges()
  std::map<PeerId, double> self_weights = {};  ///< of links from a peer to itself, if they have a weight
  std::map<Edge, LinkStrands> strands = {};    ///< of the links that GraphMending makes of several
  std::vector<std::string> notices = {};       ///< what the reader left out or decided, a sentence each
};

/// What a reader may do to a graph that is no topology as it stands; `hearsay topology` has an option for
/// each.
struct GraphMending {
  std::string file = "FILE";       ///< for the command that a Misuse names
  bool undirected = false;         ///< every arc is a link
  bool merge_links = false;        ///< parallel links with attributes of their own are one
  bool largest_component = false;  ///< the peers that are cut off from most of the others are left out
  bool network_from_geo = false;   ///< latency from the places of the peers, bandwidth from the links' speeds
};

/// Returns the command that mends the file, with the options that are on: "hearsay topology FILE --undirected
/// --write new.toml".
std::string mending_command(const GraphMending& mending);

/// Returns the graph with `names` for its peers (0 ... n-1 if empty) and, if `mixing` is given, the weights
/// of that symmetric matrix on its links.
AnnotatedGraph annotated(const Graph& graph, const MixingMatrix* mixing = nullptr,
                         const std::vector<std::string>& names = {});

/// Misuse if the weight of a peer's link to itself is not its self weight in `mixing`.
void require_self_weights(const MixingMatrix& mixing, const std::map<PeerId, double>& self_weights,
                          const std::vector<std::string>& names);

// Text in, text out: the caller reads and writes the files. All formats are read as networkx, Graphviz, yEd,
// Gephi and igraph write them: nodes with the attribute "address", edges with "weight", "latency",
// "bandwidth", all optional, in small or capital letters; an attribute that is there twice is refused.
// Everything else is ignored. Lines end with LF, CR LF or CR.
//
// Peers are numbered in the natural order of their ids, not in the file's order. Natural order compares runs
// of digits by their value (0, 1, ... 9, 10 and peer9, peer10). A peer's name is its label, if it has one
// (in DOT: if all ids are numbers), else its id.
//
// A directed graph is folded: each arc needs its opposite, with the same attributes. If no arc of the file
// has one, all are links. Arcs drawn without arrow heads are links, too. Parallel links without attributes
// are one. Links from a peer to itself are no links of the graph. `notices` says so.
//
// Misuse names the first error: a syntax error, a node given twice, an arc without its opposite while others
// have theirs, parallel links with attributes, a graph without nodes. If GraphMending has a remedy, the
// sentence ends with the command. A weight that is not a number is a Misuse where weights are used.

AnnotatedGraph parse_dot(std::string_view text, const GraphMending& mending = {});
AnnotatedGraph parse_graphml(std::string_view text, const GraphMending& mending = {});
/// GEXF, as Gephi and networkx write it.
AnnotatedGraph parse_gexf(std::string_view text, const GraphMending& mending = {});
/// GML, as networkx, igraph and yEd write it.
AnnotatedGraph parse_gml(std::string_view text, const GraphMending& mending = {});
/// Node-link JSON, as networkx and d3 write it: {"nodes": [{"id": ...}], "links": [{"source": ...}]}.
AnnotatedGraph parse_node_link(std::string_view text, const GraphMending& mending = {});
/// A link a line: "a b", "a b 0.5" (a weight) or "a b {'weight': 0.5}". Lines with # or % are comments.
AnnotatedGraph parse_edge_list(std::string_view text, const GraphMending& mending = {});

/// Misuse if a name or an attribute contains a backslash, which cannot be quoted in DOT.
std::string to_dot(const AnnotatedGraph& annotated);
std::string to_graphml(const AnnotatedGraph& annotated);

}  // namespace hearsay

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "topology/dot_tokens.hpp"
#include "topology/drawn_attributes.hpp"
#include "topology/drawn_graph.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/interchange.hpp"
#include "topology/natural_order.hpp"

// Boost.Graph's reader does not know all of the language: HTML, letters beyond ASCII, dir, subgraphs without
// a keyword. So this one follows Graphviz's grammar.

namespace hearsay {
namespace {

using DotAttributes = std::map<std::string, std::string>;

struct DotNode {
  std::string id;
  DotAttributes attributes;
};

struct DotEdge {
  std::size_t tail;
  std::size_t head;
  DotAttributes attributes;
};

/// The graph or a subgraph: its nodes, and what is said of nodes and edges that appear in it from now on.
struct DotScope {
  DotScope* parent = nullptr;
  DotAttributes of_nodes;
  DotAttributes of_edges;
  std::set<std::size_t> nodes;
  std::map<std::string, std::shared_ptr<DotScope>> subgraphs;  ///< those with a name
};

class DotReader {
 public:
  explicit DotReader(std::string_view text) : tokens_(text) {}

  DrawnGraph read() {
    strict_ = take_keyword("strict");
    directed_ = take_keyword("digraph");
    if (!directed_ && !take_keyword("graph")) refuse("graph or digraph");
    if (tokens_.peek().is_id()) tokens_.take();
    DotScope root;
    read_body(root);
    if (tokens_.peek().kind != DotToken::Kind::end) refuse("the end of the file after one graph");
    return drawn();
  }

 private:
  static constexpr std::size_t deepest = 1000;  // the reader calls itself for every brace
  static constexpr std::size_t most_edges = 10'000'000;

  /// What stands at one end of an edge. A subgraph counts with all nodes that it has after the statement.
  struct Ends {
    std::vector<std::size_t> nodes;
    std::vector<std::shared_ptr<const DotScope>> subgraphs;

    std::vector<std::size_t> all() const {
      std::vector<std::size_t> all = nodes;
      for (const auto& subgraph : subgraphs)
        all.insert(all.end(), subgraph->nodes.begin(), subgraph->nodes.end());
      return all;
    }
  };

  [[noreturn]] void refuse(const std::string& expected) const {
    const DotToken& found = tokens_.peek();
    throw Misuse("DOT, line " + std::to_string(found.line) + ": expected " + expected + ", not " +
                 (found.kind == DotToken::Kind::end ? "the end" : "\"" + found.text + "\""));
  }

  bool take_keyword(std::string_view keyword) {
    if (!tokens_.peek().is_keyword(keyword)) return false;
    tokens_.take();
    return true;
  }

  bool take_symbol(std::string_view symbol) {
    if (!tokens_.peek().is(symbol)) return false;
    tokens_.take();
    return true;
  }

  /// Returns the next name. HTML is another name than the same text, so it keeps its brackets.
  std::string take_id(const std::string& expected) {
    for (const char* keyword : {"strict", "graph", "digraph", "subgraph", "node", "edge"})
      if (tokens_.peek().is_keyword(keyword)) refuse(expected);
    if (!tokens_.peek().is_id()) refuse(expected);
    const DotToken token = tokens_.take();
    return token.kind == DotToken::Kind::html ? "<" + token.text + ">" : token.text;
  }

  void read_body(DotScope& scope) {
    if (!take_symbol("{")) refuse("{");
    if (++depth_ > deepest) throw Misuse("DOT: braces more than 1000 deep");
    while (!take_symbol("}")) read_statement(scope);
    --depth_;
  }

  void read_statement(DotScope& scope) {
    if (take_symbol(";")) return;
    if (take_keyword("node")) return read_defaults(scope.of_nodes);
    if (take_keyword("edge")) return read_defaults(scope.of_edges);
    if (take_keyword("graph")) {
      DotAttributes ignored;
      return read_defaults(ignored);
    }
    const Ends ends = read_ends(scope);
    if (ends.nodes.empty() && ends.subgraphs.empty() && take_symbol("=")) {
      take_id("a value");
      return;
    }
    read_chain(scope, ends);
  }

  void read_defaults(DotAttributes& defaults) {
    if (!tokens_.peek().is("[")) refuse("[");
    for (auto& [name, value] : read_attributes()) defaults[name] = value;
  }

  /// Reads "-- b -- {c d} [weight=0.5]" after the first end.
  void read_chain(DotScope& scope, const Ends& first) {
    std::vector<Ends> chain = {first};
    while (take_symbol(directed_ ? "->" : "--")) chain.push_back(read_ends(scope));
    const DotAttributes attributes = read_attributes();
    if (chain.size() == 1)
      for (const std::size_t node : first.nodes)
        for (const auto& [name, value] : attributes) nodes_[node].attributes[name] = value;
    for (std::size_t k = 0; k + 1 < chain.size(); ++k) {
      const std::vector<std::size_t> heads = chain[k + 1].all();
      for (const std::size_t tail : chain[k].all())
        for (const std::size_t head : heads) add_edge(scope, tail, head, attributes);
    }
  }

  /// Reads one end of an edge, "a", "a:port:ne, b" or "{a b}", or a node statement. Returns nothing, before a
  /// =, if it is the name of an attribute of the graph.
  Ends read_ends(DotScope& scope) {
    Ends ends;
    do {
      if (tokens_.peek().is("{") || tokens_.peek().is_keyword("subgraph")) {
        ends.subgraphs.push_back(read_subgraph(scope));
        continue;
      }
      const std::string id = take_id("a node, a subgraph or }");
      if (ends.nodes.empty() && ends.subgraphs.empty() && tokens_.peek().is("=")) return {};
      while (take_symbol(":")) take_id("a port");
      ends.nodes.push_back(node(scope, id));
    } while (take_symbol(","));
    return ends;
  }

  std::shared_ptr<const DotScope> read_subgraph(DotScope& scope) {
    std::string name;
    bool named = false;
    if (take_keyword("subgraph") && !tokens_.peek().is("{")) {
      name = take_id("a name or {");
      named = true;
      if (!tokens_.peek().is("{"))
        throw Misuse("DOT: subgraph " + name +
                     " has no braces; expected its peers in them, as in a -- {b c}");
    }
    // The same name in the same place is the same subgraph.
    std::shared_ptr<DotScope> subgraph = named ? scope.subgraphs[name] : nullptr;
    if (!subgraph) {
      subgraph = std::make_shared<DotScope>();
      subgraph->parent = &scope;
      subgraph->of_nodes = scope.of_nodes;
      subgraph->of_edges = scope.of_edges;
      if (named) scope.subgraphs[name] = subgraph;
    }
    read_body(*subgraph);
    return subgraph;
  }

  /// Reads any number of "[name=value, name; ...]".
  DotAttributes read_attributes() {
    DotAttributes attributes;
    while (take_symbol("[")) {
      while (!take_symbol("]")) {
        const std::string name = attribute_name(take_id("the name of an attribute or ]"));
        std::string value = "true";
        bool is_html = false;
        if (take_symbol("=")) {
          is_html = tokens_.peek().kind == DotToken::Kind::html;
          if (!tokens_.peek().is_id()) refuse("a value");
          value = tokens_.take().text;
        }
        if (!is_html || name != "label") attributes[name] = value;
        if (!take_symbol(",")) take_symbol(";");
      }
    }
    return attributes;
  }

  std::size_t node(DotScope& scope, const std::string& id) {
    const auto [found, is_new] = node_numbers_.emplace(id, nodes_.size());
    if (is_new) nodes_.push_back({id, scope.of_nodes});
    for (DotScope* around = &scope; around && around->nodes.insert(found->second).second;)
      around = around->parent;
    return found->second;
  }

  void add_edge(const DotScope& scope, std::size_t tail, std::size_t head, const DotAttributes& attributes) {
    const auto given_key = attributes.find("key");
    const std::string key = given_key == attributes.end() ? "" : given_key->second;
    if (strict_ || !key.empty()) {
      const bool turned = !directed_ && head < tail;
      const auto [found, is_new] = same_edges_.emplace(
          std::tuple(turned ? head : tail, turned ? tail : head, strict_ ? "" : key), edges_.size());
      if (!is_new) {
        for (const auto& [name, value] : attributes) edges_[found->second].attributes[name] = value;
        return;
      }
    }
    if (edges_.size() == most_edges) throw Misuse("DOT: more than " + std::to_string(most_edges) + " edges");
    edges_.push_back({tail, head, attributes});
    edges_.back().attributes.insert(scope.of_edges.begin(), scope.of_edges.end());
  }

  static std::string value_of(const DotAttributes& attributes, const std::string& name) {
    const auto found = attributes.find(name);
    return found == attributes.end() ? "" : found->second;
  }

  ArrowHeads heads_of(const DotAttributes& attributes) const {
    if (!directed_) return ArrowHeads::undirected;
    const std::string direction = value_of(attributes, "dir");
    const bool both = direction == "both";
    const bool at_target =
        (both || (direction != "back" && direction != "none")) && value_of(attributes, "arrowhead") != "none";
    const bool at_source = (both || direction == "back") && value_of(attributes, "arrowtail") != "none";
    if (at_target && at_source) return ArrowHeads::at_both;
    if (at_target) return ArrowHeads::at_target;
    return at_source ? ArrowHeads::at_source : ArrowHeads::none;
  }

  /// A node's label, or its name as igraph writes it; empty if either has escapes such as \n or \N.
  static std::string label_of(const DotNode& node) {
    const std::string label = value_of(node.attributes, "label");
    const std::string name = label.empty() ? value_of(node.attributes, "name") : label;
    return name.find('\\') == name.npos ? name : "";
  }

  /// True if the nodes are numbers with labels, as programs write them: then the labels are the names.
  bool labels_are_names() const {
    return std::ranges::all_of(nodes_, [](const DotNode& node) {
      double number = 0.0;
      return parse_number(node.id, number) && !label_of(node).empty();
    });
  }

  DrawnGraph drawn() const {
    DrawnGraph drawn;
    const bool with_labels = labels_are_names();
    for (const DotNode& node : nodes_)
      drawn.peers.push_back({node.id, with_labels ? label_of(node) : "", value_of(node.attributes, "address"),
                             value_of(node.attributes, "Latitude"), value_of(node.attributes, "Longitude")});
    for (const DotEdge& edge : edges_)
      drawn.links.push_back({nodes_[edge.tail].id, nodes_[edge.head].id, value_of(edge.attributes, "weight"),
                             value_of(edge.attributes, "latency"), value_of(edge.attributes, "bandwidth"),
                             value_of(edge.attributes, "LinkSpeedRaw"), heads_of(edge.attributes)});
    return drawn;
  }

  DotTokens tokens_;
  bool strict_ = false;
  bool directed_ = false;
  std::size_t depth_ = 0;
  std::vector<DotNode> nodes_;
  std::map<std::string, std::size_t> node_numbers_;
  std::vector<DotEdge> edges_;
  /// By ends and key: the edges that can be meant again.
  std::map<std::tuple<std::size_t, std::size_t, std::string>, std::size_t> same_edges_;
};

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '\\') throw Misuse("DOT: " + text + ": a backslash cannot be written");
    if (letter == '"') result += '\\';
    result += letter;
  }
  return result + '"';
}

/// "[name="value", ...]" with the attributes that have a value.
std::string attribute_list(const std::vector<std::pair<std::string, std::string>>& attributes) {
  std::string list;
  for (const auto& [name, value] : attributes)
    if (!value.empty()) list += (list.empty() ? " [" : ", ") + name + "=" + quoted(value);
  return list.empty() ? list : list + "]";
}

}  // namespace

AnnotatedGraph parse_dot(std::string_view text, const GraphMending& mending) {
  const std::string lines = with_line_feeds(text);
  return annotated(DotReader(lines).read(), "DOT", mending);
}

std::string to_dot(const AnnotatedGraph& annotated) {
  const std::vector<PeerNotes>& peers = annotated.peers;
  // Readers number peers by their ids, so these are numbers unless the names are in order.
  const bool in_order = std::ranges::is_sorted(peers, naturally_before, &PeerNotes::name);
  const auto id = [&](PeerId peer) { return quoted(in_order ? peers[peer].name : std::to_string(peer)); };
  std::ostringstream out;
  out << "graph hearsay {\n";
  for (PeerId peer = 0; peer < peers.size(); ++peer)
    out << "  " << id(peer)
        << attribute_list({{"label", in_order ? "" : peers[peer].name}, {"address", peers[peer].address}})
        << ";\n";
  for (std::size_t k = 0; k < annotated.links.size(); ++k) {
    const auto [a, b] = annotated.graph.edges()[k];
    const LinkNotes& link = annotated.links[k];
    out << "  " << id(a) << " -- " << id(b)
        << attribute_list({{"weight", link.weight ? number_text(*link.weight) : ""},
                           {"latency", link.latency},
                           {"bandwidth", link.bandwidth}})
        << ";\n";
  }
  out << "}\n";
  return out.str();
}

}  // namespace hearsay

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <map>
#include <sstream>

#include "topology/drawn_graph.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/interchange.hpp"

// Boost.Graph's own GraphML reader numbers the nodes in the file's order and does not return their names. So
// the document is read as an XML tree instead.

namespace hearsay {
namespace {

using Tree = boost::property_tree::ptree;

std::string attribute(const Tree& element, const std::string& name) {
  return element.get<std::string>("<xmlattr>." + name, "");
}

/// The text with every run of white space replaced by one space, since line breaks have no meaning. Boost's
/// parser does so everywhere but in CDATA.
std::string in_one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += (line.empty() ? "" : " ") + word;
  return line;
}

/// An element <key id="d0" for="edge" attr.name="weight"><default>...: declares which attribute the id stands
/// for.
struct Key {
  std::string domain;  ///< "node", "edge", "all" ...
  std::string name;
  std::string fallback;
};
using Keys = std::map<std::string, Key>;

Keys read_keys(const Tree& document) {
  Keys keys;
  for (const auto& [tag, element] : document) {
    if (tag != "key") continue;
    // The attribute's name has a dot, which would separate levels in a path.
    const auto attributes = element.get_child_optional("<xmlattr>");
    const std::string name =
        attributes ? attributes->get<std::string>(Tree::path_type("attr.name", '/'), "") : "";
    keys[attribute(element, "id")] = {attribute(element, "for"), name,
                                      in_one_line(element.get<std::string>("default", ""))};
  }
  return keys;
}

/// The attributes of a node or an edge by name, defaults included.
std::map<std::string, std::string> read_data(const Tree& element, const Keys& keys,
                                             const std::string& domain) {
  std::map<std::string, std::string> values;
  for (const auto& [id, key] : keys)
    if (!key.fallback.empty() && (key.domain == domain || key.domain == "all"))
      values[key.name] = key.fallback;
  for (const auto& [tag, data] : element) {
    if (tag != "data") continue;
    const auto key = keys.find(attribute(data, "key"));
    if (key == keys.end())
      throw Misuse("GraphML: <data key=\"" + attribute(data, "key") + "\"> has no <key> that declares it");
    values[key->second.name] = in_one_line(data.get_value<std::string>());
  }
  return values;
}

/// Returns the position right after the next occurrence of `end`; the text's size if there is none.
std::size_t behind(std::string_view text, std::size_t from, std::string_view end) {
  const std::size_t at = text.find(end, from);
  return at == text.npos ? text.size() : at + end.size();
}

/// Misuse if elements are nested more than 1000 deep: Boost's parser recurses into every element, so that a
/// hostile file could exhaust the stack. Markup in comments, CDATA, instructions and quoted attributes does
/// not count.
void refuse_deep_graphml(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t at = text.find('<'); at < text.size(); at = text.find('<', at)) {
    const std::string_view rest = text.substr(at);
    if (rest.starts_with("<!--")) {
      at = behind(text, at + 4, "-->");
    } else if (rest.starts_with("<![CDATA[")) {
      at = behind(text, at, "]]>");
    } else if (rest.starts_with("<?")) {
      at = behind(text, at, "?>");
    } else if (rest.starts_with("<!")) {
      at = behind(text, at, ">");
      if (rest.substr(0, at - (text.size() - rest.size())).find('[') != rest.npos)
        throw Misuse("GraphML: a document type with declarations of its own is not read");
    } else if (rest.starts_with("</")) {
      depth -= std::min<std::size_t>(depth, 1);
      at = behind(text, at, ">");
    } else {
      char quote = 0;
      for (++at; at < text.size() && (quote != 0 || text[at] != '>'); ++at) {
        if (text[at] == quote)
          quote = 0;
        else if (quote == 0 && (text[at] == '"' || text[at] == '\''))
          quote = text[at];
      }
      if (text[at - 1] != '/' && ++depth > 1000) throw Misuse("GraphML: elements more than 1000 deep");
    }
  }
}

DrawnGraph read_graphml_drawing(const Tree& document) {
  const auto graph = document.get_child_optional("graph");
  if (!graph) throw Misuse("GraphML: there is no <graph> in it");
  const Keys keys = read_keys(document);
  const std::string edge_default = attribute(*graph, "edgedefault");
  DrawnGraph drawn;
  for (const auto& [tag, element] : *graph) {
    if (tag == "node") {
      if (element.get_child_optional("graph"))
        throw Misuse("GraphML: node " + attribute(element, "id") +
                     " has a graph inside; expected a flat graph");
      auto data = read_data(element, keys, "node");
      drawn.peers.push_back({attribute(element, "id"), data["address"]});
    } else if (tag == "edge") {
      auto data = read_data(element, keys, "edge");
      const std::string directed = attribute(element, "directed");
      drawn.links.push_back({attribute(element, "source"), attribute(element, "target"), data["weight"],
                             data["latency"], data["bandwidth"],
                             directed.empty() ? edge_default == "directed" : directed == "true"});
    } else if (tag == "hyperedge") {
      throw Misuse("GraphML: there is a <hyperedge>; expected links between two peers");
    }
  }
  return drawn;
}

void set_attribute(Tree& element, const std::string& name, const std::string& value) {
  element.put(Tree::path_type("<xmlattr>/" + name, '/'), value);
}

void add_data(Tree& element, const std::string& key, const std::string& value) {
  if (value.empty()) return;
  Tree data;
  set_attribute(data, "key", key);
  data.put_value(value);
  element.add_child("data", data);
}

void declare(Tree& document, const std::string& domain, const std::string& name, const std::string& type) {
  Tree key;
  set_attribute(key, "id", name);
  set_attribute(key, "for", domain);
  set_attribute(key, "attr.name", name);
  set_attribute(key, "attr.type", type);
  document.add_child("key", key);
}

}  // namespace

AnnotatedGraph parse_graphml(std::string_view text) {
  refuse_deep_graphml(text);
  std::istringstream in{std::string(text)};
  Tree tree;
  try {
    boost::property_tree::read_xml(in, tree, boost::property_tree::xml_parser::trim_whitespace);
  } catch (const boost::property_tree::xml_parser_error& error) {
    throw Misuse("GraphML, line " + std::to_string(error.line()) + ": " + error.message());
  }
  const auto document = tree.get_child_optional("graphml");
  if (!document) throw Misuse("GraphML: expected a <graphml> document");
  return annotated(read_graphml_drawing(*document), "GraphML");
}

std::string to_graphml(const AnnotatedGraph& annotated) {
  Tree graph;
  set_attribute(graph, "id", "hearsay");
  set_attribute(graph, "edgedefault", "undirected");
  for (const PeerNotes& peer : annotated.peers) {
    Tree node;
    set_attribute(node, "id", peer.name);
    add_data(node, "address", peer.address);
    graph.add_child("node", node);
  }
  for (std::size_t k = 0; k < annotated.links.size(); ++k) {
    const LinkNotes& link = annotated.links[k];
    Tree edge;
    set_attribute(edge, "source", annotated.peers[annotated.graph.edges()[k].a].name);
    set_attribute(edge, "target", annotated.peers[annotated.graph.edges()[k].b].name);
    add_data(edge, "weight", link.weight ? number_text(*link.weight) : "");
    add_data(edge, "latency", link.latency);
    add_data(edge, "bandwidth", link.bandwidth);
    graph.add_child("edge", edge);
  }
  Tree document;
  set_attribute(document, "xmlns", "http://graphml.graphdrawing.org/xmlns");
  declare(document, "node", "address", "string");
  declare(document, "edge", "weight", "double");
  declare(document, "edge", "latency", "string");
  declare(document, "edge", "bandwidth", "string");
  document.add_child("graph", graph);
  Tree tree;
  tree.add_child("graphml", document);
  std::ostringstream out;
  boost::property_tree::write_xml(out, tree,
                                  boost::property_tree::xml_writer_settings<std::string>(' ', 2, "utf-8"));
  return out.str();
}

}  // namespace hearsay

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <map>
#include <set>
#include <sstream>

#include "topology/drawn_attributes.hpp"
#include "topology/drawn_graph.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/interchange.hpp"
#include "topology/natural_order.hpp"
#include "topology/xml_element.hpp"

// Boost.Graph's own GraphML reader numbers the nodes in the file's order and does not return their names. So
// the document is read as an XML tree instead.

namespace hearsay {
namespace {

/// An element <key id="d0" for="edge" attr.name="weight"><default>...: declares which attribute the id stands
/// for.
struct GraphmlKey {
  std::string domain;  ///< "node", "edge", "all" ...
  std::string name;
  std::string fallback;
};
using GraphmlKeys = std::map<std::string, GraphmlKey>;

GraphmlKeys read_keys(const XmlElement& document) {
  GraphmlKeys keys;
  for (const XmlElement& element : document.children) {
    if (element.name != "key") continue;
    const XmlElement* const fallback = element.child("default");
    keys[element.attribute("id")] = {element.attribute("for"), element.attribute("attr.name"),
                                     fallback ? fallback->text : ""};
  }
  return keys;
}

/// The attributes of a node or an edge by name, defaults included.
std::map<std::string, std::string> read_data(const XmlElement& element, const GraphmlKeys& keys,
                                             const std::string& domain) {
  std::map<std::string, std::string> values;
  for (const auto& [id, key] : keys)
    if (!key.fallback.empty() && (key.domain == domain || key.domain == "all"))
      values[key.name] = key.fallback;
  std::set<std::string> given;
  for (const XmlElement& data : element.children) {
    if (data.name != "data") continue;
    const auto key = keys.find(data.attribute("key"));
    if (key == keys.end())
      throw Misuse("GraphML: <data key=\"" + data.attribute("key") + "\"> has no <key> that declares it");
    if (!given.insert(key->second.name).second && is_ours(key->second.name))
      throw Misuse("GraphML: " + key->second.name + " is there twice in one " + element.name +
                   "; expected it once");
    values[key->second.name] = data.text;
  }
  return values;
}

DrawnPeer read_node(const XmlElement& node, const GraphmlKeys& keys) {
  if (node.attribute("id").empty()) throw Misuse("GraphML: a node has no id");
  if (node.child("graph"))
    throw Misuse("GraphML: node " + node.attribute("id") + " has a graph inside; expected a flat graph");
  auto data = read_data(node, keys, "node");
  std::string label = attribute_of(data, "label");
  if (label.empty()) label = data["name"];
  // yEd draws the label instead of saying it.
  if (const XmlElement* const drawn = node.descendant("NodeLabel"); label.empty() && drawn)
    label = drawn->text;
  return {node.attribute("id"), label, attribute_of(data, "address"), attribute_of(data, "Latitude"),
          attribute_of(data, "Longitude")};
}

/// Where yEd draws arrow heads; else the direction that the edge has.
ArrowHeads arrow_heads_of(const XmlElement& edge, bool directed) {
  if (!directed) return ArrowHeads::undirected;
  const XmlElement* const arrows = edge.descendant("Arrows");
  if (!arrows) return ArrowHeads::at_target;
  const auto has_head = [&](const std::string& end) {
    const std::string kind = arrows->attribute(end);
    return !kind.empty() && kind != "none";
  };
  if (has_head("source")) return has_head("target") ? ArrowHeads::at_both : ArrowHeads::at_source;
  return has_head("target") ? ArrowHeads::at_target : ArrowHeads::none;
}

DrawnGraph read_graphml_drawing(const XmlElement& document) {
  const XmlElement* const graph = document.child("graph");
  if (!graph) throw Misuse("GraphML: there is no <graph> in it");
  if (std::ranges::count(document.children, "graph", &XmlElement::name) > 1)
    throw Misuse("GraphML: there are several <graph> in it; expected one");
  const GraphmlKeys keys = read_keys(document);
  const std::string edge_default = graph->attribute("edgedefault");
  DrawnGraph drawn;
  for (const XmlElement& element : graph->children) {
    if (element.name == "node") {
      drawn.peers.push_back(read_node(element, keys));
    } else if (element.name == "edge") {
      const auto data = read_data(element, keys, "edge");
      const std::string directed = element.attribute("directed");
      drawn.links.push_back(
          {element.attribute("source"), element.attribute("target"), attribute_of(data, "weight"),
           attribute_of(data, "latency"), attribute_of(data, "bandwidth"), attribute_of(data, "LinkSpeedRaw"),
           arrow_heads_of(element, directed.empty() ? edge_default == "directed" : directed == "true")});
    } else if (element.name == "hyperedge") {
      throw Misuse("GraphML: there is a <hyperedge>; expected links between two peers");
    }
  }
  return drawn;
}

using Tree = boost::property_tree::ptree;

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

AnnotatedGraph parse_graphml(std::string_view text, const GraphMending& mending) {
  const XmlElement document = parse_xml(text, "GraphML");
  if (document.name != "graphml") throw Misuse("GraphML: expected a <graphml> document");
  return annotated(read_graphml_drawing(document), "GraphML", mending);
}

std::string to_graphml(const AnnotatedGraph& annotated) {
  const std::vector<PeerNotes>& peers = annotated.peers;
  // Readers number peers by their ids, so these are numbers unless the names are in order.
  const bool in_order = std::ranges::is_sorted(peers, naturally_before, &PeerNotes::name);
  const auto id = [&](PeerId peer) { return in_order ? peers[peer].name : std::to_string(peer); };
  Tree graph;
  set_attribute(graph, "id", "hearsay");
  set_attribute(graph, "edgedefault", "undirected");
  for (PeerId peer = 0; peer < peers.size(); ++peer) {
    Tree node;
    set_attribute(node, "id", id(peer));
    add_data(node, "label", in_order ? "" : peers[peer].name);
    add_data(node, "address", peers[peer].address);
    graph.add_child("node", node);
  }
  for (std::size_t k = 0; k < annotated.links.size(); ++k) {
    const LinkNotes& link = annotated.links[k];
    Tree edge;
    set_attribute(edge, "source", id(annotated.graph.edges()[k].a));
    set_attribute(edge, "target", id(annotated.graph.edges()[k].b));
    add_data(edge, "weight", link.weight ? number_text(*link.weight) : "");
    add_data(edge, "latency", link.latency);
    add_data(edge, "bandwidth", link.bandwidth);
    graph.add_child("edge", edge);
  }
  Tree document;
  set_attribute(document, "xmlns", "http://graphml.graphdrawing.org/xmlns");
  if (!in_order) declare(document, "node", "label", "string");
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

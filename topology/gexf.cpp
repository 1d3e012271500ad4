#include <map>

#include "topology/drawn_attributes.hpp"
#include "topology/drawn_graph.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/interchange.hpp"
#include "topology/xml_element.hpp"

namespace hearsay {
namespace {

/// Returns the titles of the attributes that <attributes class="node"> declares, by id.
std::map<std::string, std::string> gexf_titles(const XmlElement& graph, const std::string& of) {
  std::map<std::string, std::string> titles;
  for (const XmlElement& attributes : graph.children)
    if (attributes.name == "attributes" && attributes.attribute("class") == of)
      for (const XmlElement& attribute : attributes.children)
        titles[attribute.attribute("id")] = attribute.attribute("title");
  return titles;
}

/// The attributes of a node or an edge by title, and those that it has as an element.
std::map<std::string, std::string> gexf_data(const XmlElement& element,
                                             const std::map<std::string, std::string>& titles) {
  std::map<std::string, std::string> data = element.attributes;
  const XmlElement* const values = element.child("attvalues");
  if (!values) return data;
  for (const XmlElement& value : values->children) {
    const std::string id = value.attribute("for").empty() ? value.attribute("id") : value.attribute("for");
    if (const auto title = titles.find(id); title != titles.end())
      data[title->second] = value.attribute("value");
  }
  return data;
}

ArrowHeads gexf_heads(const std::string& type) {
  if (type == "mutual") return ArrowHeads::at_both;
  return type == "directed" ? ArrowHeads::at_target : ArrowHeads::undirected;
}

DrawnGraph read_gexf_drawing(const XmlElement& graph) {
  DrawnGraph drawn;
  const std::string default_type = graph.attribute("defaultedgetype");
  if (const XmlElement* const nodes = graph.child("nodes")) {
    const auto titles = gexf_titles(graph, "node");
    for (const XmlElement& node : nodes->children) {
      if (node.name != "node") continue;
      if (node.attribute("id").empty()) throw Misuse("GEXF: a node has no id");
      if (node.child("nodes"))
        throw Misuse("GEXF: node " + node.attribute("id") + " has nodes inside; expected a flat graph");
      const auto data = gexf_data(node, titles);
      drawn.peers.push_back({node.attribute("id"), attribute_of(data, "label"), attribute_of(data, "address"),
                             attribute_of(data, "Latitude"), attribute_of(data, "Longitude")});
    }
  }
  if (const XmlElement* const edges = graph.child("edges")) {
    const auto titles = gexf_titles(graph, "edge");
    for (const XmlElement& edge : edges->children) {
      if (edge.name != "edge") continue;
      const auto data = gexf_data(edge, titles);
      const std::string type = edge.attribute("type");
      drawn.links.push_back({edge.attribute("source"), edge.attribute("target"), attribute_of(data, "weight"),
                             attribute_of(data, "latency"), attribute_of(data, "bandwidth"),
                             attribute_of(data, "LinkSpeedRaw"),
                             gexf_heads(type.empty() ? default_type : type)});
    }
  }
  return drawn;
}

}  // namespace

AnnotatedGraph parse_gexf(std::string_view text, const GraphMending& mending) {
  const XmlElement document = parse_xml(text, "GEXF");
  const XmlElement* const graph = document.child("graph");
  if (document.name != "gexf" || !graph) throw Misuse("GEXF: expected a <gexf> document with a <graph>");
  return annotated(read_gexf_drawing(*graph), "GEXF", mending);
}

}  // namespace hearsay

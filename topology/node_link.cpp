// Else Boost 1.74 says in every build that its own JSON parser uses a deprecated header of its own.
#define BOOST_BIND_GLOBAL_PLACEHOLDERS
#include <algorithm>
#include <array>
#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <sstream>
#include <string>
#include <string_view>

#include "topology/drawn_attributes.hpp"
#include "topology/drawn_graph.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/interchange.hpp"

namespace hearsay {
namespace {

using JsonTree = boost::property_tree::ptree;

/// Returns the length of the text that `json` begins with, its quotes included; all, if it does not end.
std::size_t length_of_text(std::string_view json) {
  std::size_t at = 1;
  while (at < json.size() && json[at] != '"') at += json[at] == '\\' ? 2 : 1;
  return std::min(at + 1, json.size());
}

/// Misuse if arrays and objects are nested more than 1000 deep: Boost's parser recurses into each, so that a
/// hostile file could exhaust the stack.
void refuse_deep_json(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (letter == '"')
      at += length_of_text(text.substr(at)) - 1;
    else if ((letter == ']' || letter == '}') && depth > 0)
      --depth;
    else if ((letter == '[' || letter == '{') && ++depth > 1000)
      throw Misuse("JSON: arrays and objects more than 1000 deep");
  }
}

/// Returns the text with what Python's json writes for numbers that are none, NaN, Infinity and -Infinity, as
/// texts: no attribute that is used may have them, and the others are not read.
std::string with_texts_for_no_numbers(std::string_view text) {
  constexpr std::array<std::string_view, 3> words = {"NaN", "-Infinity", "Infinity"};
  std::string strict;
  while (!text.empty()) {
    const auto word = std::ranges::find_if(words, [&](auto each) { return text.starts_with(each); });
    if (word != words.end()) {
      strict += "\"" + std::string(*word) + "\"";
      text.remove_prefix(word->size());
      continue;
    }
    const std::size_t length = text.front() == '"' ? length_of_text(text) : 1;
    strict += text.substr(0, length);
    text.remove_prefix(length);
  }
  return strict;
}

/// Returns a value as text. An array, which is how networkx writes a tuple, becomes "(0, 1)".
std::string json_text_of(const JsonTree& value) {
  if (value.empty()) return value.data() == "null" ? "" : value.data();
  std::string text;
  for (const auto& [key, part] : value) text += (text.empty() ? "" : ", ") + json_text_of(part);
  return "(" + text + ")";
}

/// Returns the value of a key; null if it is not there. Capitals of our attributes do not count, but our
/// spelling goes first. Misuse if it is there twice: which of the two is meant, no reader knows.
const JsonTree* json_value(const JsonTree& object, const std::string& name) {
  const JsonTree* value = nullptr;
  const JsonTree* in_other_capitals = nullptr;
  for (const auto& [key, inside] : object) {
    if (key != name) {
      if (attribute_name(key) == name) in_other_capitals = &inside;
      continue;
    }
    if (value) throw Misuse("JSON: \"" + name + "\" is there twice in one object; expected it once");
    value = &inside;
  }
  return value ? value : in_other_capitals;
}

std::string json_member(const JsonTree& object, const std::string& name) {
  const JsonTree* const value = json_value(object, name);
  return value ? json_text_of(*value) : "";
}

/// True for a node that is no object, but the text or the number that names it.
bool is_a_name(const JsonTree& node) { return node.empty() && !node.data().empty(); }

/// Returns the id of the node at an end of a link. d3 replaces the id by the node itself.
std::string json_end(const JsonTree& link, const std::string& name) {
  const JsonTree* const value = json_value(link, name);
  if (!value) {
    if (link.find("from") != link.not_found() || link.find("to") != link.not_found())
      throw Misuse("JSON: a link has \"from\" or \"to\"; expected \"source\" and \"target\"");
    return "";
  }
  const JsonTree& end = *value;
  const bool is_object = !end.empty() && !end.front().first.empty();
  if (!is_object) return json_text_of(end);
  if (end.find("id") == end.not_found())
    throw Misuse("JSON: the \"" + name +
                 "\" of a link is an object without \"id\"; expected the id of a node");
  return json_member(end, "id");
}

DrawnGraph read_node_link_drawing(const JsonTree& document) {
  const JsonTree* const nodes = json_value(document, "nodes");
  const JsonTree* links = json_value(document, "links");
  const JsonTree* const edges = json_value(document, "edges");
  if (links && edges && *links != *edges)
    throw Misuse("JSON: there are \"links\" and \"edges\", and they differ; expected one of them");
  if (!links) links = edges;
  if (!nodes || !links)
    throw Misuse("JSON: expected a graph in node-link form, {\"nodes\": [...], \"links\": [...]}");
  DrawnGraph drawn;
  for (const auto& [key, node] : *nodes) {
    // A graph of d3 may have no ids: its links then count the nodes.
    const bool has_id = node.find("id") != node.not_found();
    std::string label = json_member(node, "label");
    const std::string name = json_member(node, "name");
    if (label.empty()) label = name;
    drawn.peers.push_back({has_id            ? json_member(node, "id")
                           : is_a_name(node) ? node.data()
                                             : std::to_string(drawn.peers.size()),
                           label, json_member(node, "address"), json_member(node, "Latitude"),
                           json_member(node, "Longitude")});
  }
  const ArrowHeads heads =
      json_member(document, "directed") == "true" ? ArrowHeads::at_target : ArrowHeads::undirected;
  for (const auto& [key, link] : *links)
    drawn.links.push_back({json_end(link, "source"), json_end(link, "target"), json_member(link, "weight"),
                           json_member(link, "latency"), json_member(link, "bandwidth"),
                           json_member(link, "LinkSpeedRaw"), heads});
  return drawn;
}

}  // namespace

AnnotatedGraph parse_node_link(std::string_view text, const GraphMending& mending) {
  refuse_deep_json(text);
  std::istringstream in{with_texts_for_no_numbers(with_line_feeds(text))};
  JsonTree document;
  try {
    boost::property_tree::read_json(in, document);
  } catch (const boost::property_tree::json_parser_error& error) {
    throw Misuse("JSON, line " + std::to_string(error.line()) + ": " + error.message());
  }
  return annotated(read_node_link_drawing(document), "JSON", mending);
}

}  // namespace hearsay

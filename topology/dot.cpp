#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphviz.hpp>
#include <cctype>
#include <exception>
#include <sstream>

#include "topology/drawn_graph.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/interchange.hpp"

namespace hearsay {
namespace {

template <class Direction>
DrawnGraph read_dot_drawing(const std::string& text, bool directed) {
  using Drawing = boost::adjacency_list<boost::vecS, boost::vecS, Direction, PeerNotes, DrawnLink>;
  Drawing drawing;
  boost::dynamic_properties properties(boost::ignore_other_properties);
  properties.property("node_id", boost::get(&PeerNotes::name, drawing));
  properties.property("address", boost::get(&PeerNotes::address, drawing));
  properties.property("weight", boost::get(&DrawnLink::weight, drawing));
  properties.property("latency", boost::get(&DrawnLink::latency, drawing));
  properties.property("bandwidth", boost::get(&DrawnLink::bandwidth, drawing));
  boost::read_graphviz(text, drawing, properties);

  DrawnGraph drawn;
  for (auto [vertex, end] = boost::vertices(drawing); vertex != end; ++vertex)
    drawn.peers.push_back(drawing[*vertex]);
  for (auto [edge, end] = boost::edges(drawing); edge != end; ++edge) {
    DrawnLink link = drawing[*edge];
    link.from = drawing[boost::source(*edge, drawing)].name;
    link.to = drawing[boost::target(*edge, drawing)].name;
    link.directed = directed;
    drawn.links.push_back(std::move(link));
  }
  return drawn;
}

/// The text without the lines that begin with #. Graphviz skips them as a preprocessor's; Boost's parser does
/// not know them.
std::string without_preprocessor_lines(std::string_view text) {
  std::string kept;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end == std::string_view::npos ? end : end + 1);
    if (line[0] != '#') kept += line;
    text.remove_prefix(line.size());
  }
  return kept;
}

/// Misuse if braces are nested more than 1000 deep: Boost's parser recurses into every brace, so that a
/// hostile file could exhaust the stack. Braces in strings and comments do not count. HTML strings are not
/// parsed here: after the first '<', no closing brace counts.
void refuse_deep_dot(std::string_view text) {
  std::size_t depth = 0;
  bool html = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (!html && letter == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at)
        if (text[at] == '\\') ++at;
    } else if (!html && text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (!html && text.substr(at, 2) == "/*") {
      at = std::min(text.find("*/", at + 2), text.size() - 2) + 1;
    }
    html = html || letter == '<';
    if (!html && letter == '}' && depth > 0) --depth;
    if (letter == '{' && ++depth > 1000) throw Misuse("DOT: braces more than 1000 deep");
  }
}

bool is_in_a_word(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_' || letter == '.' ||
         static_cast<unsigned char>(letter) >= 0x80;
}

/// Returns the end of the comment, the string or the HTML string that begins at `at`; `at` if none does.
std::size_t end_of_opaque_part(std::string_view text, std::size_t at) {
  const auto end_after = [&](std::string_view last, std::size_t from) {
    const std::size_t found = text.find(last, from);
    return found == std::string_view::npos ? text.size() : found + last.size();
  };
  if (text.substr(at, 2) == "//") return end_after("\n", at);
  if (text.substr(at, 2) == "/*") return end_after("*/", at + 2);
  if (text[at] == '"') {
    std::size_t end = at + 1;
    while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
    return std::min(end + 1, text.size());
  }
  if (text[at] != '<') return at;
  std::size_t end = at;
  for (std::size_t depth = 0; end < text.size();) {
    depth += text[end] == '<' ? 1 : 0;
    depth -= text[end] == '>' ? 1 : 0;
    ++end;
    if (depth == 0) break;
  }
  return end;
}

/// Returns the text with the keyword `subgraph` before every brace that lacks it, as in a -- {b c}: Boost's
/// parser wants it, the language does not. Misuse for a subgraph without braces, which stands for one that
/// was written before: Boost would take it for an empty one and lose its links.
std::string with_subgraph_keywords(std::string_view text) {
  enum class After { anything, keyword, name };
  std::string marked;
  After after = After::anything;
  std::string name;
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = end_of_opaque_part(text, at);
    const bool is_comment = end > at && text[at] == '/';
    const bool is_text = end > at && text[at] != '/';
    const bool is_word = end == at && is_in_a_word(text[at]);
    if (end == at) ++end;
    while (is_word && end < text.size() && is_in_a_word(text[end])) ++end;
    const std::string_view part = text.substr(at, end - at);
    if (!is_comment && part.find_first_not_of(" \t\r\n") != std::string_view::npos) {
      if (after == After::name && part != "{")
        throw Misuse("DOT: subgraph " + name +
                     " has no braces; expected its peers in them, as in a -- {b c}");
      if (part == "{" && depth++ > 0 && after == After::anything) marked += "subgraph ";
      if (part == "}" && depth > 0) --depth;
      if (is_word && (part == "subgraph" || part == "Subgraph" || part == "SUBGRAPH"))
        after = After::keyword;
      else if ((is_word || is_text) && after == After::keyword)
        after = After::name;
      else
        after = After::anything;
      name = part;
    }
    marked += part;
    at = end;
  }
  return marked;
}

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

AnnotatedGraph parse_dot(std::string_view text) {
  std::string whole = without_preprocessor_lines(text);
  refuse_deep_dot(whole);
  whole = with_subgraph_keywords(whole);
  try {
    try {
      return annotated(read_dot_drawing<boost::undirectedS>(whole, false), "DOT");
    } catch (const boost::directed_graph_error&) {
      return annotated(read_dot_drawing<boost::directedS>(whole, true), "DOT");
    }
  } catch (const Misuse&) {
    throw;
  } catch (const std::exception& error) {
    throw Misuse("DOT: " + std::string(error.what()));
  }
}

std::string to_dot(const AnnotatedGraph& annotated) {
  std::ostringstream out;
  out << "graph hearsay {\n";
  for (const PeerNotes& peer : annotated.peers)
    out << "  " << quoted(peer.name) << attribute_list({{"address", peer.address}}) << ";\n";
  for (std::size_t k = 0; k < annotated.links.size(); ++k) {
    const auto [a, b] = annotated.graph.edges()[k];
    const LinkNotes& link = annotated.links[k];
    out << "  " << quoted(annotated.peers[a].name) << " -- " << quoted(annotated.peers[b].name)
        << attribute_list({{"weight", link.weight ? number_text(*link.weight) : ""},
                           {"latency", link.latency},
                           {"bandwidth", link.bandwidth}})
        << ";\n";
  }
  out << "}\n";
  return out.str();
}

}  // namespace hearsay

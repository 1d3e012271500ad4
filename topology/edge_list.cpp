#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "topology/drawn_attributes.hpp"
#include "topology/drawn_graph.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/interchange.hpp"

namespace hearsay {
namespace {

constexpr std::string_view edge_list_blanks = " \t\r,";

std::vector<std::string> edge_list_words(std::string_view line) {
  std::vector<std::string> words;
  for (std::size_t at = line.find_first_not_of(edge_list_blanks); at != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(edge_list_blanks, at), line.size());
    words.emplace_back(line.substr(at, end - at));
    at = line.find_first_not_of(edge_list_blanks, end);
  }
  return words;
}

/// Returns the attributes of an edge as networkx writes them: {'weight': 0.5, 'latency': '5 ms'}.
std::map<std::string, std::string> python_attributes(std::string_view text, const std::string& place) {
  std::map<std::string, std::string> attributes;
  std::size_t at = 1;
  const auto next = [&](std::string_view ends) {
    at = std::min(text.find_first_not_of(" \t\r", at), text.size());
    const bool quoted = at < text.size() && (text[at] == '\'' || text[at] == '"');
    const std::size_t begin = quoted ? at + 1 : at;
    const std::size_t end = quoted ? text.find(text[at], begin) : text.find_first_of(ends, begin);
    if (end == text.npos) throw Misuse(place + "expected {'name': value, ...} after the two peers");
    at = quoted ? end + 1 : end;
    return std::string(trimmed(text.substr(begin, end - begin)));
  };
  const auto take = [&](char symbol) {
    at = std::min(text.find_first_not_of(" \t\r", at), text.size());
    if (at == text.size() || text[at] != symbol) return false;
    ++at;
    return true;
  };
  while (!take('}')) {
    const std::string name = next(":");
    if (!take(':')) throw Misuse(place + "expected {'name': value, ...} after the two peers");
    if (!attributes.emplace(name, next(",}")).second && is_ours(name))
      throw Misuse(place + name + " is there twice; expected it once");
    take(',');
  }
  return attributes;
}

/// Returns a line without the comment behind its edge: "a b # friend". A "#" inside a word belongs to a name.
std::string_view without_comment(std::string_view line) {
  const std::size_t brace = std::min(line.find('{'), line.size());
  for (std::size_t at = line.find('#'); at < brace; at = line.find('#', at + 1))
    if (edge_list_words(line.substr(0, at)).size() >= 2 &&
        edge_list_blanks.find(line[at - 1]) != std::string_view::npos)
      return line.substr(0, at);
  return line;
}

/// True of NaN, inf and 1e400, too. Behind two names a word that is none of these is no weight, but a sign
/// that the columns are others.
bool is_written_as_number(const std::string& word) {
  char* end = nullptr;
  std::strtod(word.c_str(), &end);
  return end == word.c_str() + word.size();
}

DrawnLink edge_of_line(std::string_view line, const std::string& place) {
  line = without_comment(line);
  const std::size_t brace = std::min(line.find('{'), line.size());
  const std::vector<std::string> words = edge_list_words(line.substr(0, brace));
  const bool has_attributes = brace < line.size();
  if (words.size() != 2 && (words.size() != 3 || has_attributes))
    throw Misuse(place + "expected two peers, and a weight or {'name': value, ...} if it has any" +
                 (line.starts_with("(")
                      ? "; a name with spaces, such as the tuples of a grid, ends at its first "
                        "space: give the nodes other names, as "
                        "networkx.convert_node_labels_to_integers does"
                      : ""));
  if (words.size() == 3 && !is_written_as_number(words[2]))
    throw Misuse(place + "weight = " + words[2] + ": expected a number");
  DrawnLink link{words[0], words[1], words.size() == 3 ? words[2] : "", "", "", "", ArrowHeads::undirected};
  if (has_attributes) {
    const auto attributes = python_attributes(line.substr(brace), place);
    link.weight = attribute_of(attributes, "weight");
    link.latency = attribute_of(attributes, "latency");
    link.bandwidth = attribute_of(attributes, "bandwidth");
    link.speed = attribute_of(attributes, "LinkSpeedRaw");
  }
  return link;
}

}  // namespace

AnnotatedGraph parse_edge_list(std::string_view written, const GraphMending& mending) {
  const std::string lines = with_line_feeds(written);
  std::string_view text = lines;
  DrawnGraph drawn;
  std::set<std::string> ids;
  std::set<std::pair<std::string, std::string>> pairs;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t begin = std::min(line.find_first_not_of(edge_list_blanks), line.size());
    if (begin == line.size() || line[begin] == '#' || line[begin] == '%') continue;
    drawn.links.push_back(edge_of_line(line, "edge list, line " + std::to_string(number) + ": "));
    const DrawnLink& link = drawn.links.back();
    pairs.emplace(link.from, link.to);
    for (const std::string& id : {link.from, link.to})
      if (ids.insert(id).second) drawn.peers.push_back({id, "", "", "", ""});
  }
  // The file does not say whether it is directed: it is if a link is there both ways.
  const bool directed = std::ranges::any_of(pairs, [&](const auto& pair) {
    return pair.first != pair.second && pairs.contains({pair.second, pair.first});
  });
  if (directed)
    for (DrawnLink& link : drawn.links) link.heads = ArrowHeads::at_target;
  return annotated(std::move(drawn), "edge list", mending);
}

}  // namespace hearsay

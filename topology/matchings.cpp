#include "topology/matchings.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/edge_coloring.hpp>
#include <cstddef>
#include <limits>
#include <utility>

#include "topology/foundation/ensure.hpp"

namespace hearsay {
namespace {

/// True if no peer occurs twice in the matching. `last_seen` holds, for every peer, the last matching in
/// which it occurred.
bool disjoint(const std::vector<Edge>& matching, std::vector<std::size_t>& last_seen, std::size_t number) {
  for (const Edge& edge : matching)
    for (const PeerId peer : {edge.a, edge.b})
      if (std::exchange(last_seen[peer], number) == number) return false;
  return true;
}

/// The color of every link, in the order of the links.
using Colors = std::vector<std::size_t>;

Colors few_colors(const Graph& graph) {
  using Colored = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                        boost::property<boost::edge_color_t, std::size_t>>;
  Colored colored(graph.peer_count());
  for (const Edge& edge : graph.edges()) boost::add_edge(edge.a, edge.b, colored);
  const auto color = boost::get(boost::edge_color, colored);
  if (!graph.edges().empty()) boost::edge_coloring(colored, color);
  Colors colors;
  for (const Edge& edge : graph.edges())
    colors.push_back(boost::get(color, boost::edge(edge.a, edge.b, colored).first));
  return colors;
}

Colors first_free_colors(const Graph& graph) {
  std::vector<std::vector<bool>> taken(graph.peer_count());
  const auto is_taken = [&](PeerId peer, std::size_t color) {
    return color < taken[peer].size() && taken[peer][color];
  };
  Colors colors;
  for (const Edge& edge : graph.edges()) {
    std::size_t color = 0;
    while (is_taken(edge.a, color) || is_taken(edge.b, color)) ++color;
    colors.push_back(color);
    for (const PeerId peer : {edge.a, edge.b}) {
      taken[peer].resize(std::max(taken[peer].size(), color + 1));
      taken[peer][color] = true;
    }
  }
  return colors;
}

}  // namespace

std::vector<std::vector<Edge>> matchings(const Graph& graph) {
  const auto degree = static_cast<double>(graph.max_degree());
  const bool many = static_cast<double>(graph.edges().size()) * degree * degree > 2e8;
  const Colors colors = many ? first_free_colors(graph) : few_colors(graph);

  std::vector<std::vector<Edge>> found;
  for (std::size_t k = 0; k < colors.size(); ++k) {
    if (colors[k] >= found.size()) found.resize(colors[k] + 1);
    found[colors[k]].push_back(graph.edges()[k]);
  }
  std::erase_if(found, [](const std::vector<Edge>& matching) { return matching.empty(); });
  ensure(many || found.size() <= graph.max_degree() + 1,
         "Misra and Gries take at most max degree + 1 colors");
  std::vector<std::size_t> last_seen(graph.peer_count(), std::numeric_limits<std::size_t>::max());
  for (std::size_t number = 0; number < found.size(); ++number)
    ensure(disjoint(found[number], last_seen, number), "links of one color share no peer");
  return found;
}

}  // namespace hearsay

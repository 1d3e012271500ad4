#include "topology/matchings.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/edge_coloring.hpp>
#include <limits>

#include "topology/ensure.hpp"

namespace hearsay {
namespace {

/// No peer is in one matching twice.
bool disjoint(const std::vector<Edge>& matching, std::vector<std::size_t>& last_seen, std::size_t number) {
  for (const Edge& edge : matching)
    for (const PeerId peer : {edge.a, edge.b})
      if (std::exchange(last_seen[peer], number) == number) return false;
  return true;
}

}  // namespace

std::vector<std::vector<Edge>> matchings(const Graph& graph) {
  using Colored = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                        boost::property<boost::edge_color_t, std::size_t>>;
  Colored colored(graph.peer_count());
  for (const Edge& edge : graph.edges()) boost::add_edge(edge.a, edge.b, colored);
  const auto color = boost::get(boost::edge_color, colored);
  if (!graph.edges().empty()) boost::edge_coloring(colored, color);

  std::vector<std::vector<Edge>> found;
  for (const Edge& edge : graph.edges()) {
    const std::size_t number = boost::get(color, boost::edge(edge.a, edge.b, colored).first);
    ensure(number <= graph.max_degree(),
           "an edge coloring takes at most one color more than the largest degree");
    if (number >= found.size()) found.resize(number + 1);
    found[number].push_back(edge);
  }
  std::erase_if(found, [](const std::vector<Edge>& matching) { return matching.empty(); });

  std::vector<std::size_t> last_seen(graph.peer_count(), std::numeric_limits<std::size_t>::max());
  for (std::size_t number = 0; number < found.size(); ++number)
    ensure(disjoint(found[number], last_seen, number), "links of one color share no peer");
  return found;
}

}  // namespace hearsay

#include "topology/random_graphs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "topology/fixed_graphs.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/graph_random.hpp"

namespace hearsay {
namespace {

/// Returns the first connected graph among several draws; `draw_once` returns nothing if a draw fails.
template <class DrawOnce>
Graph connected_draw(PeerId peer_count, std::uint64_t seed, const std::string& spelling,
                     const std::string& remedy, DrawOnce draw_once) {
  // Large graphs take long to draw, and are almost surely connected or almost surely not.
  const std::uint64_t draws = peer_count <= 1000 ? 100 : 10;
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    GraphRandom random(seed, draw);
    const std::optional<Graph> graph = draw_once(random);
    if (graph && graph->connected()) return *graph;
  }
  throw Misuse("topology.kind", spelling,
               "no connected graph in " + std::to_string(draws) + " draws; " + remedy);
}

std::string below_text(PeerId peer_count) {
  return "expected a degree below the " + std::to_string(peer_count) + " peers";
}

/// The links that are drawn so far. A hash table, since a tree takes seconds where there are a million peers.
class DrawnLinks {
 public:
  explicit DrawnLinks(std::size_t expected) { keys_.reserve(expected); }

  bool contains(PeerId a, PeerId b) const { return keys_.contains(key(a, b)); }
  /// False if the link was there.
  bool insert(PeerId a, PeerId b) { return keys_.insert(key(a, b)).second; }
  void erase(PeerId a, PeerId b) { keys_.erase(key(a, b)); }
  std::vector<Edge> ascending() const {
    std::vector<Edge> edges;
    edges.reserve(keys_.size());
    for (const std::uint64_t key : keys_)
      edges.push_back({static_cast<PeerId>(key >> 32), static_cast<PeerId>(key)});
    std::sort(edges.begin(), edges.end());
    return edges;
  }

 private:
  struct Hash {
    std::size_t operator()(std::uint64_t key) const { return GraphRandom(key).bits(); }
  };
  static std::uint64_t key(PeerId a, PeerId b) {
    return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b);
  }

  std::unordered_set<std::uint64_t, Hash> keys_;
};

/// One attempt at a simple graph with all degrees equal. Returns nothing if no two of the ends that are left
/// can be paired.
std::optional<std::vector<Edge>> pair_ends(PeerId peer_count, PeerId degree, GraphRandom& random) {
  DrawnLinks links(std::size_t{peer_count} * degree / 2);
  std::vector<PeerId> ends;
  for (PeerId peer = 0; peer < peer_count; ++peer) ends.insert(ends.end(), degree, peer);
  while (!ends.empty()) {
    random.shuffle(ends);
    std::vector<PeerId> left;
    for (std::size_t k = 0; k + 1 < ends.size(); k += 2) {
      const auto [a, b] = std::minmax(ends[k], ends[k + 1]);
      if (a == b || !links.insert(a, b)) left.insert(left.end(), {a, b});
    }
    if (left.size() == ends.size()) {
      // No pair of this shuffle could be linked. Is there any pair left that could?
      std::vector<PeerId> open = left;
      std::sort(open.begin(), open.end());
      open.erase(std::unique(open.begin(), open.end()), open.end());
      bool possible = false;
      for (std::size_t i = 0; i < open.size() && !possible; ++i)
        for (std::size_t j = i + 1; j < open.size() && !possible; ++j)
          possible = !links.contains(open[i], open[j]);
      if (!possible) return std::nullopt;
    }
    ends = std::move(left);
  }
  return links.ascending();
}

std::vector<Edge> complement(PeerId peer_count, const std::vector<Edge>& edges) {
  const std::vector<Edge> all = complete_graph(peer_count).edges();
  std::vector<Edge> others;
  std::set_difference(all.begin(), all.end(), edges.begin(), edges.end(), std::back_inserter(others));
  return others;
}

Graph random_ring(PeerId peer_count, std::uint64_t seed) {
  GraphRandom random(seed);
  std::vector<PeerId> order(peer_count);
  std::iota(order.begin(), order.end(), PeerId{0});
  random.shuffle(order);
  std::vector<Edge> edges;
  for (PeerId k = 0; k < peer_count; ++k) edges.push_back({order[k], order[(k + 1) % peer_count]});
  return Graph(peer_count, std::move(edges));
}

/// All pairs, each with that probability, ascending. The numbers of pairs that are passed over are geometric,
/// so the time is that of the links (Batagelj and Brandes, Efficient generation of large random networks,
/// 2005).
std::vector<Edge> independent_pairs(PeerId peer_count, double probability, GraphRandom& random) {
  const double log_of_miss = std::log1p(-probability);  // minus infinity if all pairs are linked
  const double pairs = 0.5 * peer_count * (peer_count - 1.0);
  std::vector<Edge> edges;
  std::uint64_t a = 0;
  for (std::uint64_t b = 1;; ++b) {
    const double passed_over = std::floor(std::log1p(-random.uniform()) / log_of_miss);
    if (!(passed_over < pairs)) return edges;
    b += static_cast<std::uint64_t>(passed_over);
    while (b >= peer_count) {  // goes on in the next row
      ++a;
      if (a + 1 >= peer_count) return edges;
      b += a + 1 - peer_count;
    }
    edges.push_back({static_cast<PeerId>(a), static_cast<PeerId>(b)});
  }
}

struct Point {
  double x;
  double y;
};

/// All pairs at most `radius` apart, found through a grid of cells at least that wide.
std::vector<Edge> close_pairs(const std::vector<Point>& points, double radius) {
  const auto count = static_cast<PeerId>(points.size());
  const double most_cells = std::max(1.0, std::floor(std::sqrt(static_cast<double>(count))));
  const auto side = static_cast<std::size_t>(std::clamp(std::floor(1.0 / radius), 1.0, most_cells));
  const auto cell_of = [side](double coordinate) {
    return static_cast<std::size_t>(coordinate * static_cast<double>(side));
  };
  std::vector<std::vector<PeerId>> cells(side * side);
  std::vector<Edge> edges;
  for (PeerId peer = 0; peer < count; ++peer) {
    const Point here = points[peer];
    const std::size_t row = cell_of(here.y);
    const std::size_t column = cell_of(here.x);
    for (std::size_t r = row - std::min<std::size_t>(row, 1); r <= std::min(row + 1, side - 1); ++r)
      for (std::size_t c = column - std::min<std::size_t>(column, 1); c <= std::min(column + 1, side - 1);
           ++c)
        for (const PeerId other : cells[r * side + c]) {
          const double dx = points[other].x - here.x;
          const double dy = points[other].y - here.y;
          if (dx * dx + dy * dy <= radius * radius) edges.push_back({other, peer});
        }
    cells[row * side + column].push_back(peer);
  }
  return edges;
}

}  // namespace

Graph random_regular_graph(PeerId peer_count, PeerId degree, std::uint64_t seed) {
  const std::string spelling = "random-regular(" + std::to_string(degree) + ")";
  if (degree >= peer_count) throw Misuse("topology.kind", spelling, below_text(peer_count));
  if (peer_count % 2 == 1 && degree % 2 == 1)
    throw Misuse("topology.kind", spelling,
                 "peers times degree is even in any graph, so " + std::to_string(peer_count) +
                     " peers need an even degree");
  if (degree < 2 && peer_count > degree + 1)
    throw Misuse(
        "topology.kind", spelling,
        "no such graph on " + std::to_string(peer_count) + " peers is connected; expected 2 or more");
  if (degree == 2) return random_ring(peer_count, seed);

  const bool dense = degree > (peer_count - 1) / 2;
  const PeerId drawn_degree = dense ? peer_count - 1 - degree : degree;
  return connected_draw(peer_count, seed, spelling, "choose another degree or seed",
                        [&](GraphRandom& random) -> std::optional<Graph> {
                          auto edges = pair_ends(peer_count, drawn_degree, random);
                          if (!edges) return std::nullopt;
                          return Graph(peer_count,
                                       dense ? complement(peer_count, *edges) : std::move(*edges));
                        });
}

Graph erdos_renyi_graph(PeerId peer_count, double link_probability, std::uint64_t seed) {
  const std::string spelling = "erdos-renyi(" + number_text(link_probability) + ")";
  if (!(link_probability > 0.0 && link_probability <= 1.0))
    throw Misuse("topology.kind", spelling, "expected a probability above 0 and at most 1");
  const double enough = std::min(1.0, 1.5 * std::log(peer_count) / peer_count);
  return connected_draw(peer_count, seed, spelling,
                        "from a probability of about " + number_text(std::ceil(1000 * enough) / 1000) +
                            " on, most are connected",
                        [&](GraphRandom& random) -> std::optional<Graph> {
                          return Graph(peer_count, independent_pairs(peer_count, link_probability, random));
                        });
}

Graph small_world_graph(PeerId peer_count, PeerId degree, double rewiring, std::uint64_t seed) {
  const std::string spelling = "small-world(" + std::to_string(degree) + ", " + number_text(rewiring) + ")";
  if (degree >= peer_count) throw Misuse("topology.kind", spelling, below_text(peer_count));
  if (degree % 2 == 1 || (degree == 0 && peer_count > 1))
    throw Misuse("topology.kind", spelling, "expected an even degree of at least 2, half of it on each side");
  if (!(rewiring >= 0.0 && rewiring <= 1.0))
    throw Misuse("topology.kind", spelling, "expected a rewiring probability from 0 to 1");
  return connected_draw(peer_count, seed, spelling, "raise the degree or lower the rewiring probability",
                        [&](GraphRandom& random) -> std::optional<Graph> {
                          std::vector<Edge> lattice;
                          for (PeerId hop = 1; hop <= degree / 2; ++hop)
                            for (PeerId peer = 0; peer < peer_count; ++peer) {
                              const PeerId other =
                                  static_cast<PeerId>((std::uint64_t{peer} + hop) % peer_count);
                              lattice.push_back({peer, other});
                            }
                          std::vector<std::size_t> degrees(peer_count, degree);
                          DrawnLinks links(lattice.size());
                          for (const Edge& link : lattice) links.insert(link.a, link.b);
                          for (const Edge& link : lattice) {
                            if (!(random.uniform() < rewiring) || degrees[link.a] + 1 == peer_count) continue;
                            PeerId other = static_cast<PeerId>(random.below(peer_count));
                            while (other == link.a || links.contains(link.a, other))
                              other = static_cast<PeerId>(random.below(peer_count));
                            links.erase(link.a, link.b);
                            links.insert(link.a, other);
                            --degrees[link.b];
                            ++degrees[other];
                          }
                          return Graph(peer_count, links.ascending());
                        });
}

Graph geometric_graph(PeerId peer_count, double radius, std::uint64_t seed) {
  const std::string spelling = "geometric(" + number_text(radius) + ")";
  if (!(radius > 0.0)) throw Misuse("topology.kind", spelling, "expected a radius above 0");
  const double enough = std::sqrt(1.5 * std::log(std::max<PeerId>(peer_count, 2)) / (3.14159 * peer_count));
  return connected_draw(
      peer_count, seed, spelling,
      "from a radius of about " + number_text(std::ceil(1000 * enough) / 1000) + " on, most are connected",
      [&](GraphRandom& random) -> std::optional<Graph> {
        std::vector<Point> points(peer_count);
        for (Point& point : points) {
          point.x = random.uniform();
          point.y = random.uniform();
        }
        return Graph(peer_count, close_pairs(points, radius));
      });
}

}  // namespace hearsay

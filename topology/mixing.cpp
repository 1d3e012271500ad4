#include "topology/mixing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>

#include "topology/fastest_mixing.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {
namespace {

constexpr double tolerance = 1e-12;

/// The matrix whose entries on the graph's links are `weight(edge)`, the same in both directions.
template <class Weight>
MixingMatrix symmetric_on(const Graph& graph, Weight weight) {
  std::vector<WeightedLink> links;  // in the order in which a MixingMatrix wants them
  links.reserve(2 * graph.edges().size());
  for (PeerId to = 0; to < graph.peer_count(); ++to)
    for (const PeerId from : graph.neighbors(to))
      links.push_back({from, to, weight(Edge{std::min(from, to), std::max(from, to)})});
  return MixingMatrix(graph.peer_count(), std::move(links));
}

double metropolis_weight(const Graph& graph, Edge edge) {
  return 1.0 / static_cast<double>(1 + std::max(graph.degree(edge.a), graph.degree(edge.b)));
}

std::string peer_name(PeerId peer, std::span<const std::string> names) {
  return "peer " + (names.empty() ? std::to_string(peer) : names[peer]);
}

void check_link(const WeightedLink& link, PeerId peer_count, std::span<const std::string> names) {
  if (link.from >= peer_count || link.to >= peer_count)
    throw Misuse("mixing weight from peer " + std::to_string(link.from) + " to peer " +
                 std::to_string(link.to) + ": the peers are 0 to " + std::to_string(peer_count - 1));
  const auto which = [&] {
    return "mixing weight from " + peer_name(link.from, names) + " to " + peer_name(link.to, names);
  };
  if (link.from == link.to) throw Misuse(which() + ": the self weight is what the neighbors' leave over");
  if (!std::isfinite(link.weight)) throw Misuse(which(), number_text(link.weight), "expected a number");
  if (link.weight == 0.0) throw Misuse(which(), "0", "leave the link out instead");
}

/// Makes room for the links in each row, and no more: with many peers that is most of their memory.
void reserve(std::vector<MixingRow>& rows, const std::vector<WeightedLink>& links) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> counts(rows.size());  // heard, hearers
  for (const WeightedLink& link : links) {
    ++counts[link.to].first;
    ++counts[link.from].second;
  }
  for (std::size_t peer = 0; peer < rows.size(); ++peer) {
    rows[peer].hears.reserve(counts[peer].first);
    rows[peer].heard_by.reserve(counts[peer].second);
  }
}

/// Whether every link goes both ways, and with the same weight.
struct Answers {
  bool mutual = true;
  bool symmetric = true;
};

/// `links` ascend by (to, from). So the links back into a peer are asked for in ascending order, and each row
/// is gone through once.
Answers answers_of(const std::vector<WeightedLink>& links, const std::vector<MixingRow>& rows) {
  Answers answers;
  std::vector<std::uint32_t> passed(rows.size(), 0);
  for (const WeightedLink& link : links) {
    const std::vector<WeightedNeighbor>& back = rows[link.from].hears;
    std::uint32_t& next = passed[link.from];
    while (next < back.size() && back[next].id < link.to) ++next;
    const bool answered = next < back.size() && back[next].id == link.to;
    answers.mutual = answers.mutual && answered;
    answers.symmetric = answers.symmetric && answered && back[next].weight == link.weight;
  }
  return answers;
}

}  // namespace

MixingMatrix::MixingMatrix(PeerId peer_count, std::vector<WeightedLink> links,
                           std::span<const std::string> names)
    : MixingMatrix(peer_count, std::move(links), names, Columns::sum_to_one) {}

MixingMatrix::MixingMatrix(PeerId peer_count, std::vector<WeightedLink> links,
                           std::span<const std::string> names, Columns columns)
    : rows_(peer_count), link_count_(links.size()) {
  if (peer_count == 0) throw Misuse("a mixing matrix needs at least one peer");
  ensure(names.empty() || names.size() == peer_count, "there is a name for every peer or for none");
  const auto precedes = [](const WeightedLink& a, const WeightedLink& b) {
    return std::tie(a.to, a.from) < std::tie(b.to, b.from);
  };
  if (!std::is_sorted(links.begin(), links.end(), precedes)) std::sort(links.begin(), links.end(), precedes);
  for (const WeightedLink& link : links) check_link(link, peer_count, names);
  reserve(rows_, links);
  for (std::size_t k = 0; k < links.size(); ++k) {
    const WeightedLink& link = links[k];
    if (k > 0 && links[k - 1].to == link.to && links[k - 1].from == link.from)
      throw Misuse("the mixing weight from " + peer_name(link.from, names) + " to " +
                   peer_name(link.to, names) + " is there twice");
    rows_[link.to].hears.push_back({link.from, link.weight});
    rows_[link.from].heard_by.push_back(link.to);
  }

  std::vector<double> heard(peer_count, 0.0);  // column sums without the diagonal
  for (MixingRow& row : rows_) {
    double sum = 0.0;
    for (const WeightedNeighbor& neighbor : row.hears) {
      sum += neighbor.weight;
      heard[neighbor.id] += neighbor.weight;
      non_negative_ = non_negative_ && neighbor.weight > 0.0;
    }
    row.self_weight = 1.0 - sum;
    non_negative_ = non_negative_ && row.self_weight >= -tolerance;
  }
  for (PeerId peer = 0; peer < peer_count; ++peer) {
    const double column = rows_[peer].self_weight + heard[peer];
    if (std::abs(column - 1.0) <= tolerance) continue;
    doubly_stochastic_ = false;
    if (columns == Columns::sum_to_one)
      throw Misuse("mixing weights: what the others give " + peer_name(peer, names) +
                   " and its self weight sum to " + number_text(column) +
                   ", expected 1: it must be heard with the same total weight as it hears");
  }
  const Answers answers = answers_of(links, rows_);
  mutual_ = answers.mutual;
  symmetric_ = answers.symmetric;
}

const MixingRow& MixingMatrix::row(PeerId peer) const {
  ensure(peer < rows_.size(), "a mixing row is asked of a peer of the matrix");
  return rows_[peer];
}

MixingMatrix MixingMatrix::metropolis(const Graph& graph) {
  return symmetric_on(graph, [&](Edge edge) { return metropolis_weight(graph, edge); });
}

MixingMatrix MixingMatrix::max_degree(const Graph& graph) {
  const double weight = 1.0 / static_cast<double>(1 + graph.max_degree());
  return symmetric_on(graph, [&](Edge) { return weight; });
}

MixingMatrix MixingMatrix::lazy(const Graph& graph) {
  return symmetric_on(graph, [&](Edge edge) { return 0.5 * metropolis_weight(graph, edge); });
}

MixingMatrix MixingMatrix::best_constant(const Graph& graph) {
  if (graph.edges().empty()) return metropolis(graph);
  // The max-degree matrix is I - L / (1 + max degree), so its spectrum gives that of L.
  const double scale = static_cast<double>(1 + graph.max_degree());
  const Spectrum of_max_degree = spectrum(max_degree(graph));
  const double constant =
      2.0 / (scale * (1.0 - of_max_degree.smallest) + scale * (1.0 - of_max_degree.second));
  return symmetric_on(graph, [&](Edge) { return constant; });
}

MixingMatrix MixingMatrix::fastest(const Graph& graph) {
  MixingMatrix mixing = links_look_alike(graph)
                            ? best_constant(graph)
                            : on_used_links(graph, fastest_weights(graph, LinkWeights::any));
  if (!mixing.least_rho_) mixing.least_rho_ = spectrum(mixing).rho;
  return mixing;
}

MixingMatrix MixingMatrix::fastest_chain(const Graph& graph) {
  if (!links_look_alike(graph)) return on_used_links(graph, fastest_weights(graph, LinkWeights::averages));
  MixingMatrix mixing = best_constant(graph);
  // Averages allow a constant of at most 1 / max degree. The best constant is above it, and rho falls up to
  // the best.
  if (!mixing.non_negative()) {
    const double most = 1.0 / static_cast<double>(graph.max_degree());
    mixing = symmetric_on(graph, [&](Edge) { return most; });
  }
  mixing.least_rho_ = spectrum(mixing).rho;
  return mixing;
}

MixingMatrix MixingMatrix::on_used_links(const Graph& graph, const FastestWeights& found) {
  std::vector<WeightedLink> links;
  for (std::size_t k = 0; k < found.edge_weights.size(); ++k) {
    const double weight = found.edge_weights[k];
    if (weight == 0.0) continue;
    const auto [a, b] = graph.edges()[k];
    links.push_back({a, b, weight});
    links.push_back({b, a, weight});
  }
  MixingMatrix mixing(graph.peer_count(), std::move(links));
  mixing.least_rho_ = found.least_rho;
  return mixing;
}

MixingMatrix MixingMatrix::explicit_weights(const Graph& graph, std::span<const double> edge_weights,
                                            std::span<const std::string> names) {
  ensure(edge_weights.size() == graph.edges().size(), "there is one weight for each link");
  std::vector<WeightedLink> links;
  links.reserve(2 * edge_weights.size());
  for (std::size_t k = 0; k < edge_weights.size(); ++k) {
    const auto [a, b] = graph.edges()[k];
    links.push_back({a, b, edge_weights[k]});
    links.push_back({b, a, edge_weights[k]});
  }
  return MixingMatrix(graph.peer_count(), std::move(links), names);
}

MixingMatrix MixingMatrix::directed(PeerId peer_count, std::span<const OneWayLink> links,
                                    std::span<const std::string> names) {
  std::vector<std::size_t> heard_by_peer(peer_count, 0);
  for (const OneWayLink& link : links)
    if (link.to < peer_count) ++heard_by_peer[link.to];
  std::vector<WeightedLink> weighted;
  for (const OneWayLink& link : links)
    weighted.push_back({link.from, link.to,
                        link.to < peer_count ? 1.0 / static_cast<double>(1 + heard_by_peer[link.to]) : 1.0});
  MixingMatrix mixing(peer_count, std::move(weighted), names, Columns::may_not);
  // First search the peers that can hear of peer 0, however indirectly, then those of whom peer 0 can hear.
  for (const bool outward : {true, false}) {
    const auto next = [&](PeerId peer) {
      const MixingRow& row = mixing.row(peer);
      std::vector<PeerId> ids = row.heard_by;
      if (outward) return ids;
      ids.clear();
      for (const WeightedNeighbor& neighbor : row.hears) ids.push_back(neighbor.id);
      return ids;
    };
    std::vector<bool> reached(peer_count, false);
    std::vector<PeerId> to_visit = {0};
    reached[0] = true;
    while (!to_visit.empty()) {
      const PeerId peer = to_visit.back();
      to_visit.pop_back();
      for (const PeerId other : next(peer)) {
        if (reached[other]) continue;
        reached[other] = true;
        to_visit.push_back(other);
      }
    }
    const auto missed =
        static_cast<PeerId>(std::find(reached.begin(), reached.end(), false) - reached.begin());
    if (missed == peer_count) continue;
    throw Misuse("the news of " + peer_name(outward ? 0 : missed, names) + " never reach " +
                 peer_name(outward ? missed : 0, names) +
                 ": expected links that lead from every peer to every other");
  }
  return mixing;
}

std::span<const Choice> mixing_choices() {
  static const std::array<Choice, 7> choices{{
      {"auto", "", "metropolis; lazy if the method needs larger eigenvalues than those of metropolis"},
      {"metropolis", "", "1 / (1 + the larger degree) on each link; works on every graph",
       "a closed form, self weights of at least 0"},
      {"max-degree", "", "1 / (1 + the largest degree of the graph) on every link", "as `metropolis`"},
      {"lazy", "", "half metropolis, half standing still: no negative eigenvalues", "as `metropolis`"},
      {"best-constant", "", "the equal link weight that contracts fastest; self weights can be negative"},
      {"fastest", "", "the symmetric weights that contract fastest, proven; some can be negative",
       "FDLA (Xiao, Boyd 2004), with a dual certificate of how far from the best they can be"},
      {"fastest-chain", "", "the fastest without negative weights",
       "Boyd, Diaconis, Xiao 2004; for the methods that refuse negative ones"},
  }};
  return choices;
}

MixingMatrix make_mixing(const std::string& weights, const Graph& graph) {
  const std::string& name = find_choice("topology.weights", weights, mixing_choices()).name;
  if (name == "auto" || name == "metropolis") return MixingMatrix::metropolis(graph);
  if (name == "max-degree") return MixingMatrix::max_degree(graph);
  if (name == "lazy") return MixingMatrix::lazy(graph);
  if (name == "best-constant") return MixingMatrix::best_constant(graph);
  return name == "fastest" ? MixingMatrix::fastest(graph) : MixingMatrix::fastest_chain(graph);
}

}  // namespace hearsay

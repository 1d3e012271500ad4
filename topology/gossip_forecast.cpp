#include "topology/gossip_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "topology/families.hpp"
#include "topology/fastest_mixing.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

namespace {

const std::string metropolis = "metropolis";

}  // namespace

double rounds_to_a_tenth(double rho) {
  if (rho >= 1.0) return std::numeric_limits<double>::infinity();
  return rho <= 0.1 ? 1.0 : std::log(0.1) / std::log(rho);
}

NeighborLists neighbor_lists(const MixingMatrix& mixing) {
  NeighborLists lists;
  for (PeerId peer = 0; peer < mixing.peer_count(); ++peer) lists.push_back(mixing.row(peer).heard_by);
  return lists;
}

GossipForecast forecast_gossip(const MixingMatrix& mixing, const PairwiseLinks& links, double message_bytes) {
  return {RoundClock(links, message_bytes).seconds_per_round(neighbor_lists(mixing)),
          rounds_to_a_tenth(spectrum(mixing).rho)};
}

GossipPlan plan_of(std::string name, const Graph& graph, const std::string& weights,
                   const PairwiseLinks& links, double message_bytes) {
  const bool solvable = graph.connected() && (!comes_from_solver(weights) || links_look_alike(graph) ||
                                              suits_fastest_solver(graph.peer_count(), graph.edges().size()));
  const std::string& used = solvable ? weights : metropolis;
  MixingMatrix mixing = make_mixing(used, graph);
  const GossipForecast forecast = forecast_gossip(mixing, links, message_bytes);
  return {std::move(name), used, std::move(mixing), forecast};
}

bool comes_from_solver(const std::string& weights) {
  return weights == "fastest" || weights == "fastest-chain";
}

std::vector<GossipPlan> plans_of_families(const PairwiseLinks& links, double message_bytes,
                                          const std::string& weights, std::size_t degree) {
  const PeerId n = links.peer_count();
  std::vector<std::string> spellings = {"ring"};
  if (const GridSize size = squarest(n); size.rows > 1) spellings.push_back("torus(" + size_text(size) + ")");
  spellings.insert(spellings.end(), {"exponential", "complete"});
  std::vector<GossipPlan> plans;
  for (const std::string& spelling : spellings) {
    const Graph graph = make_graph(spelling, n, 1);
    if (graph.max_degree() <= degree)
      plans.push_back(plan_of(spelling, graph, weights, links, message_bytes));
  }
  return plans;
}

}  // namespace hearsay

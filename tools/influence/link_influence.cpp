#include "tools/influence/link_influence.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "algorithms/methods/parts/shared_options.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

constexpr PeerId most_linked_peers = 128;  // influences of each on each

}  // namespace

void require_links(const RunSettings& settings) {
  const auto refuse = [](const std::string& why) { throw Misuse("--by", "link", why); };
  const RunSettings::Algorithm& algorithm = settings.algorithm;
  if (algorithm.kind != "d-psgd" && algorithm.kind != "dcd-psgd")
    refuse("it is derived for peers that mix each other's models by W; algorithm.kind = " + algorithm.kind +
           ", expected d-psgd or dcd-psgd");
  if (algorithm.options.find(option::local_steps).value_or(1) != 1 ||
      algorithm.options.find(option::staleness).value_or(0) != 0 ||
      algorithm.options.find(option::order).value_or("combine-then-adapt") != "combine-then-adapt")
    refuse(
        "it is derived for a step after each mixing; expected algorithm.local_steps = 1, no staleness, and "
        "algorithm.order = \"combine-then-adapt\"");
  if (settings.topology.participation != 1.0 || settings.failure.drops())
    refuse(
        "it is derived for peers that all take part; expected topology.participation = \"all\" and no "
        "failure.policy = \"drop\"");
  if (settings.topology.peers > most_linked_peers)
    refuse("the influences of each peer at each take too much memory; expected " +
           std::to_string(most_linked_peers) + " peers or fewer");
}

LinkInfluence link_influence(const Schedule& schedule, double consensus_step,
                             std::span<const std::uint64_t> iterations, const StepSize& step_size,
                             const DenseRows<double>& slopes, std::uint64_t samples) {
  const PeerId peers = schedule.peer_count();
  DenseRows<double> held = DenseRows<double>::Zero(peers, peers);
  DenseRows<double> mixed = held;
  std::map<std::pair<PeerId, PeerId>, Vector<double>> flows;
  for (std::size_t k = 0; k + 1 < iterations.size(); ++k) {
    // q_j(t) = eta_t / m times the slope between the kept models.
    const Vector<double> slope =
        0.5 * (slopes.row(static_cast<Index>(k)) + slopes.row(static_cast<Index>(k + 1)));
    for (std::uint64_t t = iterations[k] + 1; t <= iterations[k + 1]; ++t) {
      mixed = held;
      for (PeerId i = 0; i < peers; ++i)
        for (const WeightedNeighbor& l : schedule.row(i, t - 1).hears) {
          // h_i += w_il h_l - w_li h_i, the second at the other end of the link
          const Vector<double> passed = consensus_step * l.weight * held.row(l.id);
          mixed.row(i) += passed;
          mixed.row(l.id) -= passed;
          Vector<double>& flow =
              flows.try_emplace(std::minmax(i, l.id), Vector<double>::Zero(peers)).first->second;
          if (l.id < i)
            flow += passed;
          else
            flow -= passed;
        }
      held.swap(mixed);
      // h_jj += q_j
      held.diagonal() += step_size.at(t) / static_cast<double>(samples) * slope;
    }
  }
  LinkInfluence found;
  for (auto& [ends, flow] : flows) found.links.push_back({ends.first, ends.second, std::move(flow)});
  found.held = std::move(held);
  return found;
}

}  // namespace hearsay

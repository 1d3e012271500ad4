#include "tools/fit_topology.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/cluster/links_file.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/toml/document.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/patient_line.hpp"
#include "tools/terminal/table.hpp"
#include "topology/fastest_mixing.hpp"
#include "topology/fitted_graph.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

/// Returns the peers of the links file, as the topology file lists them if there is one.
std::vector<NamedPeer> peers_of(const LinksFile& links, const std::optional<NamedTopology>& given,
                                const FitOptions& options) {
  if (!given) {
    std::vector<NamedPeer> peers;
    for (const std::string& name : links.names) peers.push_back({name, {}, {}});
    return peers;
  }
  const std::vector<NamedPeer>& listed = given->peers;
  if (listed.size() != links.names.size())
    throw Misuse("--fit", options.links.string(),
                 "expected links between the " + counted(listed.size(), "peer") + " of " +
                     options.peers.string() + ", not between " + std::to_string(links.names.size()));
  for (PeerId peer = 0; peer < links.peer_count(); ++peer)
    if (links.names[peer] != listed[peer].name)
      throw Misuse("--fit", options.links.string(),
                   "its peer " + std::to_string(peer) + " is " + toml_text(links.names[peer]) +
                       "; expected " + toml_text(listed[peer].name) + ", as in " + options.peers.string());
  return listed;
}

/// Returns the topology of the plan, with the links that it uses.
NamedTopology topology_of(const GossipPlan& plan, std::vector<NamedPeer> peers) {
  std::vector<Edge> edges;
  for (PeerId a = 0; a < plan.mixing.peer_count(); ++a)
    for (const PeerId b : plan.mixing.row(a).heard_by)
      if (a < b) edges.push_back({a, b});
  return {.graph = Graph(plan.mixing.peer_count(), std::move(edges)),
          .mixing = plan.mixing,
          .peers = std::move(peers),
          .links = {},
          .observer = {},
          .family = {},
          .weights = comes_from_solver(plan.weights) ? "explicit" : plan.weights};
}

std::string weights_of(const FitOptions& options) {
  const std::string& asked = options.weights;
  const bool by_default = asked.empty() || find_choice("--weights", asked, mixing_choices()).name == "auto";
  return by_default ? "metropolis" : asked;
}

/// Throws Misuse if no graph is better than another, or none has so few links.
void require_something_to_fit(const PairwiseLinks& network, double message_bytes, const FitOptions& options) {
  const PeerId n = network.peer_count();
  const std::string links = options.links.string();
  if (n == 1) throw Misuse("--fit", links, "it has a single peer; expected at least two");
  const std::uint64_t least = n > 2 ? 2 : 1;
  if (options.degree < least)
    throw Misuse("--degree", std::to_string(options.degree),
                 "expected at least " + std::to_string(least) + ", which " + std::to_string(n) +
                     " peers need to be linked");
  const std::uint64_t most_links = n * std::min<std::uint64_t>(options.degree, n - 1) / 2;
  if (comes_from_solver(weights_of(options)) && !suits_fastest_solver(n, most_links))
    throw Misuse("--weights", options.weights,
                 "expected at most " + grouped(fastest_peers) + " peers, not " + grouped(n) +
                     ", and a --degree that gives them at most " + grouped(fastest_links) + " links, not " +
                     grouped(most_links) + "; or metropolis");
  const RoundClock clock(network, message_bytes);
  for (PeerId a = 0; a < n; ++a)
    for (PeerId b = a + 1; b < n; ++b)
      if (clock.least_seconds(a, b) > 0.0) return;
  throw Misuse("--fit", links,
               "messages take no time on its links, so that every graph is as good as another; expected a "
               "latency above 0 or a bandwidth at some of them");
}

std::size_t degree_of(const GossipPlan& plan) {
  std::size_t most = 0;
  for (PeerId peer = 0; peer < plan.mixing.peer_count(); ++peer)
    most = std::max(most, plan.mixing.row(peer).heard_by.size());
  return most;
}

/// Says which family of a greater degree would be sooner than the fitted graph; nothing if none would.
std::string sooner_text(const FittedTopology& fitted) {
  const auto soonest = std::ranges::min_element(
      fitted.families, {}, [](const GossipPlan& family) { return family.forecast.seconds(); });
  if (soonest == fitted.families.end() || soonest->forecast.seconds() >= fitted.plan.forecast.seconds())
    return "";
  const std::string degree = std::to_string(degree_of(*soonest));
  return "with more links it would be sooner: " + soonest->name + " has a degree of " + degree +
         ", which --degree " + degree + " allows\n";
}

/// Returns how many times as long it takes; "-" if the fitted graph takes no time at all.
std::string times_text(double seconds, double of_fitted) {
  return of_fitted > 0.0 ? fixed(seconds / of_fitted, 2) + "x" : "-";
}

}  // namespace

FittedTopology fitted_topology(const FitOptions& options) {
  const std::string weights = weights_of(options);
  const auto message = static_cast<double>(parse_bytes("--message", options.message));
  const LinksFile links = load_links_file(options.links, "--fit");
  const PairwiseLinks network = pairwise(links);
  require_something_to_fit(network, message, options);
  std::optional<NamedTopology> given;
  if (!options.peers.empty()) given = load_topology_file(options.peers, options.seed);
  std::vector<NamedPeer> peers = peers_of(links, given, options);

  PatientLine progress;
  GossipPlan plan =
      fitted_plan(network, {.degree = std::min<std::uint64_t>(options.degree, links.peer_count()),
                            .message_bytes = message,
                            .weights = weights,
                            .seed = options.seed,
                            .on_progress = [&progress](double share) {
                              progress.show("searching a graph: " + fixed(100.0 * share, 0) + " %");
                            }});
  progress.close();
  NamedTopology topology = topology_of(plan, std::move(peers));
  if (given) {
    topology.observer = given->observer;
    topology.observer_bind = given->observer_bind;
  }
  return {std::move(topology), std::move(plan), plans_of_families(network, message, weights)};
}

std::string comparison_text(const FittedTopology& fitted) {
  using enum Table::Align;
  Table table({{"graph", left},
               {"weights", left},
               {"degree", right},
               {"links", right},
               {"a round", right},
               {"rounds to a tenth", right},
               {"time to a tenth", right},
               {"beside the fitted", right}});
  const auto add = [&](const GossipPlan& plan, const std::string& name) {
    const double seconds = plan.forecast.seconds();
    table.add({name, plan.weights, std::to_string(degree_of(plan)), grouped(plan.mixing.link_count() / 2),
               seconds_text(plan.forecast.seconds_per_round), significant(plan.forecast.rounds, 3),
               seconds_text(seconds), times_text(seconds, fitted.plan.forecast.seconds())});
  };
  add(fitted.plan, fitted.plan.name == "fitted" ? "fitted" : "fitted: " + fitted.plan.name);
  for (const GossipPlan& family : fitted.families) add(family, family.name);
  return table.text() + sooner_text(fitted);
}

}  // namespace hearsay

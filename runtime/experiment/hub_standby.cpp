#include "runtime/experiment/hub_standby.hpp"

#include <algorithm>
#include <string>

#include "algorithms/methods/registry.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

namespace {

bool goes_on_without_a_worker(const MethodInfo& method) {
  return method.pattern.has_hub && goes_on_without(method.membership);
}

void add(PeerId id, std::vector<PeerId>& ids) {
  const auto place = std::ranges::lower_bound(ids, id);
  if (place == ids.end() || *place != id) ids.insert(place, id);
}

}  // namespace

void check_hub_standby(const RunSettings& settings, const MethodInfo& method, const Graph& graph) {
  if (!settings.failure.hub_standby) return;
  const PeerId standby = *settings.failure.hub_standby;
  const auto refuse = [&](const std::string& why) {
    throw Misuse("failure.hub_standby", std::to_string(standby), why);
  };
  const TopologySettings& topology = settings.topology;
  if (!goes_on_without_a_worker(method))
    refuse(method.name +
           (method.pattern.has_hub ? " cannot do without any worker" : " has no hub that could be lost") +
           "; leave it out, or take one of " + methods_that(goes_on_without_a_worker));
  if (!settings.failure.drops())
    refuse("under failure.policy = \"wait\" a run waits for its hub to come back; expected \"drop\"");
  if (topology.hub == HubData::its_own)
    refuse(
        "a hub that is lost would take its share of the data along; expected topology.hub = \"dedicated\"");
  if (standby == hub_id || standby >= graph.peer_count())
    refuse("expected a worker: an id from 1 to " + std::to_string(graph.peer_count() - 1));
  if (graph.peer_count() < 3) refuse("it is the only worker; expected topology.peers of at least 3");
  if (!is_star_around_hub(graph))
    refuse("it cannot hear the workers of a tree's groups; expected topology.kind = \"star\"");
  if (topology.participation < 1.0)
    refuse("it hears the hub in every round; expected topology.participation = 1 instead of " +
           number_text(topology.participation));
  if (topology.rounds_close())
    refuse(
        "whose answers come in time it cannot know beforehand; expected topology.round_deadline = \"0 s\"");
  if (!settings.failure.join_later.empty())
    refuse("hub and standby would have to take a joining worker in together; expected no failure.join_later");
}

void add_partners_of_standby(PeerId standby, PeerId id, PeerId peer_count, Partners& partners) {
  const auto add_both_ways = [&](PeerId other) {
    add(other, partners.sources);
    add(other, partners.destinations);
  };
  if (id == hub_id) return;
  if (id != standby) return add_both_ways(standby);
  for (PeerId worker = 1; worker < peer_count; ++worker)
    if (worker != id) add_both_ways(worker);
}

std::vector<PeerId> quiet_destinations(const RunSettings& settings, PeerId id) {
  std::vector<PeerId> workers;
  if (settings.failure.hub_standby != id) return workers;
  for (PeerId worker = 1; worker < settings.topology.peers; ++worker)
    if (worker != id) workers.push_back(worker);
  return workers;
}

}  // namespace hearsay

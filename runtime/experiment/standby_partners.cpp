#include "runtime/experiment/standby_partners.hpp"

#include <algorithm>

#include "topology/hub_rounds.hpp"

namespace hearsay {

namespace {

void add(PeerId id, std::vector<PeerId>& ids) {
  const auto place = std::ranges::lower_bound(ids, id);
  if (place == ids.end() || *place != id) ids.insert(place, id);
}

}  // namespace

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

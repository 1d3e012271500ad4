#include "algorithms/seam/pattern.hpp"

#include <algorithm>
#include <bit>

#include "topology/diameter.hpp"

namespace hearsay {

namespace {

Partners neighbors_in_any_round(PeerId id, const Schedule& schedule) {
  Partners result;
  const Schedule& whole = schedule.whole();
  for (std::uint64_t round = 0; round < *whole.period(); ++round) {
    const MixingRow row = whole.row(id, round);
    for (const WeightedNeighbor& neighbor : row.hears) result.sources.push_back(neighbor.id);
    result.destinations.insert(result.destinations.end(), row.heard_by.begin(), row.heard_by.end());
  }
  for (std::vector<PeerId>* ids : {&result.sources, &result.destinations}) {
    std::sort(ids->begin(), ids->end());
    ids->erase(std::unique(ids->begin(), ids->end()), ids->end());
  }
  return result;
}

/// A peer can be 1 + staleness iterations ahead of a neighbor, and as many more for every further link. Where
/// the diameter is only bounded, more than that is permitted.
std::optional<std::uint64_t> lead_along_links(const Graph& graph, bool all_speak, std::uint64_t staleness) {
  if (!all_speak) return std::nullopt;
  return bounded_diameter(graph).most * (staleness + 1);
}

/// A message says nothing about the progress of peers other than its sender.
std::uint64_t forgotten_by_sender(PeerId to, const SenderProgress& of) {
  return to == of.sender ? of.needs_from : 0;
}

Partners adjacent_ids(PeerId id, const Schedule& schedule) {
  const PeerId n = schedule.peer_count();
  return n == 1 ? Partners{} : Partners{{(id + n - 1) % n}, {(id + 1) % n}};
}

Partners doubling_partners(PeerId id, const Schedule& schedule) {
  const PeerId n = schedule.peer_count();
  const PeerId power = std::bit_floor(n);
  std::vector<PeerId> ids;
  if (id >= power) ids.push_back(id - power);
  if (id < power)
    for (PeerId bit = 1; bit < power; bit *= 2) ids.push_back(id ^ bit);
  if (id < n - power) ids.push_back(id + power);
  std::ranges::sort(ids);
  return {ids, ids};
}

/// Every iteration adds up messages of all peers.
std::optional<std::uint64_t> lead_of_a_sum(const Graph&, bool, std::uint64_t) { return 1; }

/// The sender has completed iteration t - 1, for which it needed the messages of all peers, if only in sums.
/// So every peer has begun t - 1, and needs nothing older.
std::uint64_t forgotten_by_all(PeerId, const SenderProgress& of) { return of.iteration - 1; }

}  // namespace

constinit const Pattern Pattern::gossip = {.uses_graph = true,
                                           .reads_weights = true,
                                           .has_leader = false,
                                           .has_hub = false,
                                           .partners = neighbors_in_any_round,
                                           .lead = lead_along_links,
                                           .forgets = forgotten_by_sender};

constinit const Pattern Pattern::ring = {.uses_graph = false,
                                         .reads_weights = false,
                                         .has_leader = true,
                                         .has_hub = false,
                                         .partners = adjacent_ids,
                                         .lead = lead_of_a_sum,
                                         .forgets = forgotten_by_all};

constinit const Pattern Pattern::doubling = {.uses_graph = false,
                                             .reads_weights = false,
                                             .has_leader = true,
                                             .has_hub = false,
                                             .partners = doubling_partners,
                                             .lead = lead_of_a_sum,
                                             .forgets = forgotten_by_all};

constinit const Pattern Pattern::star = {.uses_graph = true,
                                         .reads_weights = false,
                                         .has_leader = false,
                                         .has_hub = true,
                                         .partners = neighbors_in_any_round,
                                         .lead = lead_along_links,
                                         .forgets = forgotten_by_sender};

}  // namespace hearsay

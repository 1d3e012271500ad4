#pragma once

#include <cstdint>
#include <memory>

#include "topology/graph.hpp"
#include "topology/schedule.hpp"

namespace hearsay {

/// The peer that is the hub of a star.
inline constexpr PeerId hub_id = 0;

/// What a hub does besides adding up.
enum class HubData {
  its_own,  ///< the hub has a part of the data: it is worker 0, too
  none,     ///< dedicated: n - 1 workers have the data
};

/// True if every peer is linked with the hub, both ways, and with nobody else.
bool is_star_around_hub(const Graph& graph);
/// True if the graph is a tree with the hub as its root, and no peer is more than two links from it.
bool is_hub_tree(const Graph& graph);

/// Returns how many peers answer in a round of `rounds`, with their own data: as many in each.
PeerId answering_in(const Schedule& rounds);

/// Returns the schedule of a hub and its workers, from the static schedule of a star or of a tree
/// (is_hub_tree). In every round the hub and r workers take part, drawn from the seed anew for every round:
///
///     r = share times the number of peers with data, rounded
///
/// A hub with data draws lots like the others, but takes part in any case: its draw decides whether its own
/// data count (MixingRow::trains). The rows of the workers that sit out are empty, with `participates` false.
///
/// On a tree every group, a peer between the hub and others with these, draws for itself in the same way, at
/// least one of its members. The hub, and a peer that is linked with it alone, answer in every round.
///
/// Who answers is drawn anew for every round, from the seed and the number of the round, so rounds never
/// repeat (participation.hpp). A worker's row costs about a microsecond, the hub's as much for each answer.
///
/// Returns the given schedule itself if all take part and the hub has data. Misuse, naming
/// topology.participation: a share outside (0, 1]; one that is less than one worker.
std::unique_ptr<Schedule> hub_rounds(std::unique_ptr<Schedule> all, double share, HubData hub_data,
                                     std::uint64_t seed);

}  // namespace hearsay

#pragma once

#include <cstdint>
#include <memory>

#include "topology/schedule.hpp"

namespace hearsay {

/// Returns the schedule in which only a share of the peers takes part in each round. The rows of the others
/// are empty, with `participates` false. With S the participants of a round and W its matrix,
///
///     w'_ij = w_ij for i, j in S, else 0;      w'_ii = 1 - sum_j w'_ij
///
/// The weight of a dropped link goes to the self weights at both its ends. So a symmetric W stays symmetric
/// and doubly stochastic, and non-negative if it was. The number of participants is the same in every round:
/// share times n, rounded.
///
/// S is drawn anew for every round, from the seed and the number of the round, so rounds never repeat. A row
/// costs as much in the last round as in the first: about a microsecond for the peer and for each neighbor.
///
/// Returns the given schedule itself if the share amounts to all peers. Misuse, naming
/// topology.participation: a share outside (0, 1]; fewer than two participants; a schedule with one-way
/// links, or with two weights on a link, which would not keep the mean.
std::unique_ptr<Schedule> with_participation(std::unique_ptr<Schedule> schedule, double share,
                                             std::uint64_t seed);

}  // namespace hearsay

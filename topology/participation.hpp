#pragma once

#include <cstdint>
#include <memory>

#include "topology/schedule.hpp"

namespace hearsay {

/// The schedule in which only a share of the peers takes part in each round; the rows of the others are
/// empty, and their `participates` is false. With S the peers of a round, drawn from the seed for every
/// round, and W its matrix,
///
///     w'_ij = w_ij for i, j in S, else 0;      w'_ii = 1 - sum_j w'_ij
///
/// The weight of a link that is left out goes to the self weights at both its ends. So a symmetric W stays
/// symmetric and doubly stochastic, and non-negative if it was. The number of peers that take part is the
/// same in every round: share times n, rounded.
///
/// The rounds are drawn in advance and then repeat. They are whole periods of the schedule, at least 64
/// rounds, as many as let each link be expected 8 times or more, and further until every link has occurred.
/// So their union has all links of the schedule, and a period contracts if that union is connected.
///
/// Returns the schedule itself if the share comes to all peers. Misuse, naming topology.participation: a
/// share outside (0, 1]; fewer than two participants; a schedule with one-way links or links of two weights,
/// which would not keep the mean; a share so small that the rounds do not fit in memory.
std::unique_ptr<Schedule> with_participation(std::unique_ptr<Schedule> schedule, double share,
                                             std::uint64_t seed);

}  // namespace hearsay

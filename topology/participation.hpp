#pragma once

#include <cstdint>
#include <memory>

#include "topology/schedule.hpp"

namespace hearsay {

/// Returns the schedule in which only a share of the peers takes part in each round. The rows of the others
/// are empty, with `participates` false. With S the participants of a round, drawn from the seed anew for
/// every round, and W the matrix of the round,
///
///     w'_ij = w_ij for i, j in S, else 0;      w'_ii = 1 - sum_j w'_ij
///
/// The weight of a dropped link goes to the self weights at both its ends. So a symmetric W stays symmetric
/// and doubly stochastic, and non-negative if it was. The number of participants is the same in every round:
/// share times n, rounded.
///
/// The rounds are drawn in advance and then repeat. They are whole periods of the schedule: at least 64
/// rounds, enough of them that each link is expected to occur 8 times or more, and as many more as it takes
/// until every link has occurred. So their union has all links of the schedule, and a period contracts if
/// that union is connected.
///
/// Returns the given schedule itself if the share amounts to all peers. Misuse, naming
/// topology.participation: a share outside (0, 1]; fewer than two participants; a schedule with one-way
/// links, or with two weights on a link, which would not keep the mean; a share so small that the rounds do
/// not fit in memory.
std::unique_ptr<Schedule> with_participation(std::unique_ptr<Schedule> schedule, double share,
                                             std::uint64_t seed);

}  // namespace hearsay

#pragma once

#include <cstdint>
#include <memory>

#include "topology/schedule.hpp"

namespace hearsay {

/// The schedule when only a share of the peers takes part in each round (the other rows are empty, and their
/// `participates` is false): with S the peers of a round, drawn from the seed anew for each, and W its matrix,
///
///     w'_ij = w_ij for i, j in S, else 0;      w'_ii = 1 - sum_j w'_ij
///
/// What a link loses goes to the self weights at both its ends, so a symmetric W stays symmetric and doubly
/// stochastic, and non-negative if it was. The same number of peers, share times n to the nearest, takes part each
/// time.
///
/// The rounds are drawn in advance and then repeat: whole periods of the schedule, at least 64 rounds, in which each
/// link is to be expected 8 times or more, and on until every link has occurred. So their union has all
/// links of the schedule, and a period contracts where it is connected.
///
/// The schedule itself where the share comes to all peers. Misuse, naming topology.participation: a share
/// outside (0, 1], fewer than two participants, a schedule with links in one direction or of different weights
/// (which would keep no mean), and so small a share that the rounds do not fit in memory.
std::unique_ptr<Schedule> with_participation(std::unique_ptr<Schedule> schedule, double share,
                                             std::uint64_t seed);

}  // namespace hearsay

#pragma once

#include <cstdint>
#include <vector>

#include "runtime/record/outcome.hpp"

namespace hearsay {

/// Policy "drop": iterations in which one end of an edge mixed with the other, and the other did not. Where
/// only the way between two peers is broken, each takes the edge out of W at the first iteration whose
/// message it lacks, and these may differ by one. The mean of the n models moves then, in each such
/// iteration, by
///
///     w_ij (x_j - x_i) / n,   at most w_ij sqrt(2 / n) (consensus distance)
///                                [(x_i - x_j)^2 <= 2 sum_k (x_k - mean)^2]
struct OneSidedMixing {
  PeerId by;
  PeerId with;
  std::uint64_t from;   ///< iteration
  std::uint64_t until;  ///< the first one in which both are of one mind again
  double weight;
};

/// Between peers that are left, by the ids of the ends, the lower one first, then in time.
std::vector<OneSidedMixing> one_sided_mixings(const std::vector<PeerOutcome>& peers);

/// How far the mean moved, at most, with the larger one of the consensus distances that were seen before and
/// after.
double mean_shift_at_most(const OneSidedMixing& mixing, std::size_t peer_count,
                          const std::vector<Evaluation>& evaluations);

}  // namespace hearsay

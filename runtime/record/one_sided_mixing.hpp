#pragma once

#include <cstdint>
#include <vector>

#include "runtime/record/outcome.hpp"

namespace hearsay {

/// Policy "drop": iterations in which only one end of an edge mixed with the other end. If two peers live and
/// only the link between them breaks, each takes the edge out of W at the first iteration whose message it
/// lacks. These iterations may differ by one. In each iteration between them the mean of the n models moves
/// by
///
///     w_ij (x_j - x_i) / n,   at most w_ij sqrt(2 / n) (consensus distance)
///                                [(x_i - x_j)^2 <= 2 sum_k (x_k - mean)^2]
struct OneSidedMixing {
  PeerId by;            ///< mixed with the other end
  PeerId with;          ///< did not mix with `by`
  std::uint64_t from;   ///< the first such iteration
  std::uint64_t until;  ///< the first iteration in which both ends agree again
  double weight;        ///< w_ij
};

/// Returns those between peers that are not gone, sorted by the lower id of the ends, the higher id, and
/// time.
std::vector<OneSidedMixing> one_sided_mixings(const std::vector<PeerOutcome>& peers);

/// Returns a bound on how far the mean moved in these iterations. It uses the larger consensus distance of
/// the evaluations before and after `from`.
double mean_shift_at_most(const OneSidedMixing& mixing, std::size_t peer_count,
                          const std::vector<Evaluation>& evaluations);

}  // namespace hearsay

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

/// Deals the samples to the peers. Returns the rows of every peer: result[i] are peer i's, ascending. Every
/// sample occurs exactly once.
///
///     "iid"             a random permutation, split evenly
///     "by-label"        sorted by target, cut into contiguous blocks: the hardest split
///     "dirichlet(A)"    of every class, peer i gets the share p_i, p ~ Dirichlet(A, ..., A); small A
///                       concentrates a class on few peers, large A approaches iid (Hsu, Qi, Brown 2019,
///                       arXiv:1909.06335, by class); a peer may get nothing. For classes only.
///
/// The sizes of iid and by-label parts differ by at most 1. `class_count` is 0 for regression targets. Throws
/// Misuse (key data.partition) for an unknown name, wrong arguments (A outside of 1e-6 ... 1e12), dirichlet
/// on regression targets, or fewer samples than peers.
std::vector<std::vector<Index>> partition(std::string_view spelling, std::span<const double> targets,
                                          std::uint32_t class_count, std::size_t peers, std::uint64_t seed);

/// Throws that Misuse if there are fewer samples than peers.
void require_shared(std::string_view spelling, std::size_t samples, std::size_t peers);

/// The values of data.partition.
std::span<const Choice> partition_choices();

}  // namespace hearsay

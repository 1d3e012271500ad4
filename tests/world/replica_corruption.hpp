#pragma once

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/seam/algorithm.hpp"

namespace hearsay {

/// Flips the highest bit of the fraction of a random nonzero entry of a replica, which changes the entry by
/// at most a half of its size. False, without any change, if all entries of all replicas are 0.
bool flip_replica_bit(Algorithm<double>& holder, RandomStream& random);

}  // namespace hearsay

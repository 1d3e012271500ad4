#pragma once

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/seam/algorithm.hpp"

namespace hearsay {

/// Turns over the highest bit of the fraction of some entry of some replica, so that its size stays what it
/// was, but for a half. False, and nothing has changed, where all entries are 0.
bool flip_replica_bit(Algorithm<double>& holder, RandomStream& random);

}  // namespace hearsay

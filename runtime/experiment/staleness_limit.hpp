#pragma once

#include <cstdint>

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

// How much may be mixed of what is s iterations old. Along an eigenvector of W with eigenvalue lambda, gossip
// with consensus step gamma, and no gradients, is
//
//   a(t+1) = a(t) - c a(t-s),  c = gamma (1 - lambda);      its modes a(t) = z^t:  z^(s+1) - z^s + c = 0
//
// For c = 0 the roots are 1 and 0. As c grows, the one at 1 moves inside the unit circle, and none leaves it
// before some z = exp(i theta) solves z^s (1 - z) = c: in modulus 2 sin(theta / 2) = c, in angle (s + 1/2)
// theta = pi / 2, the first one. So all die out, for 0 < c, if and only if
//
//   c < 2 sin(pi / (2 (2 s + 1)))         2, 1, 0.618, 0.445, 0.347 for s = 0, 1, 2, 3, 4
//
// (Levin, May 1976, "A note on difference-delay equations".)

/// The least gamma (1 - lambda) at which gossip on what is s iterations old does not die out.
double consensus_limit_of(std::uint64_t staleness);

/// Checks that algorithm.staleness, or a consensus step above 1 on full-precision gossip, is sound on this
/// topology. Throws Misuse if the links change from round to round or are not symmetric, or if the limit is
/// passed; if algorithm.allow_unsound is set, a passed limit is a warning.
template <class Scalar>
void check_staleness(Experiment<Scalar>& experiment);

}  // namespace hearsay

#pragma once

#include <cstdint>

namespace hearsay {

// The largest consensus step with models that are s iterations old. Along an eigenvector of W with eigenvalue
// lambda, gossip with consensus step gamma and without gradients is
//
//   a(t+1) = a(t) - c a(t-s),  c = gamma (1 - lambda);      its modes a(t) = z^t:  z^(s+1) - z^s + c = 0
//
// For c = 0 the roots are 1 and 0. As c grows, the root at 1 moves inside the unit circle. No root leaves the
// circle before some z = exp(i theta) solves z^s (1 - z) = c. The moduli give 2 sin(theta / 2) = c; the
// angles give (s + 1/2) theta = pi / 2 for the smallest theta. So for c > 0 all modes die out if and only if
//
//   c < 2 sin(pi / (2 (2 s + 1)))         2, 1, 0.618, 0.445, 0.347 for s = 0, 1, 2, 3, 4
//
// (Levin, May 1976, "A note on difference-delay equations".)

/// Returns the least gamma (1 - lambda) at which the modes of gossip with this staleness do not die out.
double consensus_limit_of(std::uint64_t staleness);

}  // namespace hearsay

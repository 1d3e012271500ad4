#pragma once

#include <cstdint>

#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// How long the `request`-th gradient (0, 1, ...) of peer `peer` takes: the constant, or a draw from the
/// stream keyed by (seed, peer, request), or `measured` if nothing is emulated. That is multiplied by `work`,
/// the number of minibatch gradients that it is worth.
Duration compute_time(const ComputeTime& emulated, std::uint64_t seed, PeerId peer, std::uint64_t request,
                      double work, Duration measured);

}  // namespace hearsay

#pragma once

#include <cstdint>

#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// Returns how long gradient number `request` (0, 1, ...) of peer `peer` takes: the constant; or a draw from
/// the random stream keyed by (seed, peer, request); or `measured`, if compute time is not emulated. The
/// result is multiplied by `work`, the number of minibatch gradients that the gradient is worth.
Duration compute_time(const ComputeTime& emulated, std::uint64_t seed, PeerId peer, std::uint64_t request,
                      double work, Duration measured);

}  // namespace hearsay

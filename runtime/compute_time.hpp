#pragma once

#include <cstdint>

#include "runtime/run_settings.hpp"

namespace hearsay {

/// How long the `request`-th gradient (0, 1, ...) of peer `peer` takes: the constant, or a draw from the stream keyed
/// by (seed, peer, request). `measured` is the answer where nothing is emulated.
Duration compute_time(const ComputeTime& emulated, std::uint64_t seed, PeerId peer, std::uint64_t request,
                      Duration measured);

}  // namespace hearsay

#pragma once

#include <optional>
#include <string>

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// Returns a warning if a message of peer `id`, or a piece of it, takes longer than failure.lost_after at
/// network.pace, even if it has the port for itself: heartbeats wait behind it, and the receiver takes the
/// peer for lost. A length that is not known before the run is taken for its bound.
template <class Scalar>
std::optional<std::string> slow_pace_warning(const Experiment<Scalar>& experiment, PeerId id);

}  // namespace hearsay

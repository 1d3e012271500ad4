#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/settings/run_settings.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Returns how long the frames of one evaluation take on the emulated network, in seconds, if nothing else is
/// on it: the models of all peers through the port of the observer, and back as far as they are asked.
double evaluation_seconds_on_the_wire(const RunSettings& settings, std::uint64_t dimension, PeerId peers);

/// Returns that in words, with a colon before it. Empty if evaluations are free, and one is no more than 5 %
/// of the time between two; `iteration` is the seconds of an iteration.
std::string evaluation_time_text(const RunSettings& settings, std::uint64_t dimension, PeerId peers,
                                 double iteration);

}  // namespace hearsay

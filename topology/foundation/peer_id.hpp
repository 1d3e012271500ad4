#pragma once

#include <cstdint>

namespace hearsay {

/// A participant of a run, numbered 0 ... n-1 in the order of the topology file.
using PeerId = std::uint32_t;

}  // namespace hearsay

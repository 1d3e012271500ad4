#pragma once

#include <cstdint>

namespace hearsay {

/// A participant of a run, numbered 0 ... n-1: in the order of a TOML topology file, in the natural order of
/// the names of a GraphML or DOT file (interchange.hpp).
using PeerId = std::uint32_t;

}  // namespace hearsay

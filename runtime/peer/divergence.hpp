#pragma once

#include <cstdint>
#include <string>

#include "algorithms/compression/seam/compressor.hpp"

namespace hearsay {

/// When and why a run left the finite range.
struct Divergence {
  std::uint64_t iteration;
  std::string what;        ///< "the model left the finite range"
  bool malformed = false;  ///< it did not: a message did not fit the method
};

/// Of an encode or decode that did not go well.
Divergence divergence_of(CodecStatus status, std::uint64_t iteration);

}  // namespace hearsay

#pragma once

#include <cstdint>
#include <string>

#include "algorithms/compression/seam/compressor.hpp"

namespace hearsay {

/// When and why a peer diverged: a number left the finite range, or a message did not fit the method.
struct Divergence {
  std::uint64_t iteration;
  std::string what;        ///< the first failure: "the model left the finite range"
  bool malformed = false;  ///< whether some message did not fit the method
  bool at_source = false;  ///< whether it is a gradient at a finite point: no message can have caused it
};

/// The divergence that follows from an encode or decode that failed; `status` is not `ok`.
Divergence divergence_of(CodecStatus status, std::uint64_t iteration);

}  // namespace hearsay

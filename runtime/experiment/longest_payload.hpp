#pragma once

#include <cstddef>

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// Returns a bound on the payload of any message between peers, in bytes. What claims to be longer is garbage
/// (decode_header), so no message of a method may be:
///
///     65,536 + 16 d              two vectors in double, or numbers of variable length, and scales
///            + R |C|             R packets of the longer of the two compressors (algorithm.rounds)
///            + rank d numbers    a basis (algorithm.rank)
template <class Scalar>
std::size_t longest_payload_bytes(const Experiment<Scalar>& experiment);

}  // namespace hearsay

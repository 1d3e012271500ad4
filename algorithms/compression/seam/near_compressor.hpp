#pragma once

#include <memory>
#include <optional>
#include <string>

#include "algorithms/arithmetic/segments.hpp"
#include "algorithms/compression/seam/compressor.hpp"

namespace hearsay {

/// Returns the compressor that makes of every vector what `spelling` makes of it, bit for bit, in fewer bytes
/// the nearer the vector is to the side information (EncodeInput::near, accumulate_near; NearGrid). For
/// grid(step) and mod(k, step), alone. Null for other spellings, which have no grid that both ends know.
template <class Scalar>
std::unique_ptr<Compressor<Scalar>> make_near_compressor(const std::string& spelling,
                                                         const SegmentTable& segments);

/// Returns what a method with this side information (algorithm.side_information; empty if it has no such
/// option) sends by: make_near_compressor, or make_compressor if it is "none".
template <class Scalar>
std::unique_ptr<Compressor<Scalar>> make_sent_compressor(const std::string& spelling,
                                                         const std::optional<std::string>& side_information,
                                                         const SegmentTable& segments) {
  return side_information.value_or("none") == "none" ? make_compressor<Scalar>(spelling, segments)
                                                     : make_near_compressor<Scalar>(spelling, segments);
}

}  // namespace hearsay

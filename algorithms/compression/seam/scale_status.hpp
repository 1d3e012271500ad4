#pragma once

#include <algorithm>
#include <cmath>

#include "algorithms/compression/seam/compressor.hpp"

namespace hearsay {

/// What a scale from a message is: a number, not negative, or what is wrong with it.
template <class Scalar>
CodecStatus status_of_scale(Scalar scale) {
  if (std::signbit(scale)) return CodecStatus::malformed;
  return std::isfinite(scale) ? CodecStatus::ok : CodecStatus::not_finite;
}

/// Of two parts of a message: malformed before not_finite before ok.
inline CodecStatus worse(CodecStatus a, CodecStatus b) { return std::max(a, b); }

}  // namespace hearsay

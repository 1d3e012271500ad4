#pragma once

#include <algorithm>
#include <cmath>

#include "algorithms/compression/seam/compressor.hpp"

namespace hearsay {

/// `ok` if a scale from a message is a number and not negative; else the error.
template <class Scalar>
CodecStatus status_of_scale(Scalar scale) {
  if (std::signbit(scale)) return CodecStatus::malformed;
  return std::isfinite(scale) ? CodecStatus::ok : CodecStatus::not_finite;
}

/// The worse status of two parts of a message: malformed before not_finite before ok.
inline CodecStatus worse(CodecStatus a, CodecStatus b) { return std::max(a, b); }

}  // namespace hearsay

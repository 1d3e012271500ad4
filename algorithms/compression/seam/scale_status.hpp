#pragma once

#include <algorithm>
#include <cmath>

#include "algorithms/compression/seam/compressor.hpp"

namespace hearsay {

/// The status of a scale that was read from a message: `malformed` if negative (or -0), `not_finite` if Inf
/// or NaN, else `ok`.
template <class Scalar>
CodecStatus status_of_scale(Scalar scale) {
  if (std::signbit(scale)) return CodecStatus::malformed;
  return std::isfinite(scale) ? CodecStatus::ok : CodecStatus::not_finite;
}

/// The status of a message of two parts: malformed if either is, else not_finite if either is, else ok. For
/// these three only.
inline CodecStatus worse(CodecStatus a, CodecStatus b) { return std::max(a, b); }

}  // namespace hearsay

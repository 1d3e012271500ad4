#pragma once

#include <span>
#include <string>

#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// The norm by which a dither measures a bucket: its largest magnitude or its Euclidean norm.
enum class DitherNorm { linf, l2 };

/// Reads the argument `norm`: linf if it is missing.
DitherNorm parse_dither_norm(const Arguments& arguments);
std::string spelling_of(DitherNorm norm);

/// Returns the norm of the bucket, no less than any magnitude in it. NaN if the bucket holds Inf or NaN; Inf
/// if the norm is beyond the range of Scalar.
template <class Scalar>
double bucket_norm(DitherNorm norm, std::span<const Scalar> bucket);

}  // namespace hearsay

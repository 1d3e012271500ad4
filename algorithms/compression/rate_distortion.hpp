#pragma once

#include <optional>

#include "algorithms/compression/seam/traits.hpp"

namespace hearsay {

/// Returns the fewest bits per coordinate with which any compressor can have the worst-case error of these
/// traits. With b bits,
///
///     alpha 4^b >= 1,      alpha = omega / (1 + omega)   unbiased (scaled by 1 / (1 + omega) it contracts)
///                          alpha = 1 - delta             contractive
///
/// so b >= 1/2 log2(1 + 1 / omega). Nothing if no relative bound is known, or if the compressor is lossless.
/// The uncertainty principle of Safaryan, Shulgin, Richtarik 2021, arXiv:2002.08958.
std::optional<double> least_bits_per_coordinate(const Traits& traits);

}  // namespace hearsay

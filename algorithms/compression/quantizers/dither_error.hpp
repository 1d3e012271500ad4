#pragma once

#include <cstddef>

#include "algorithms/compression/quantizers/dither_norm.hpp"
#include "algorithms/compression/quantizers/level_set.hpp"

namespace hearsay {

/// Returns the smallest proven omega with E ||C(z) - z||^2 <= omega ||z||^2 for every bucket z of n
/// coordinates. With a the smallest positive level, rho the relative spread of the levels
/// (LevelSet::relative_spread) and g the widest gap between neighboring levels, 0 included:
///
///   l2     min( n g^2 / 4,      rho + a^2 n / (4 (1 + rho)) if a sqrt(n) <= 2 (1 + rho),
///                                    else a sqrt(n) - 1 )
///   linf   min( (n-1) g^2 / 4,  max( rho, (sqrt(1 + (n-1) a^2) - 1) / 2 ) )
///
/// Both are attained for coarse levels: the a sqrt(n) - 1 of l2 if all coordinates are equal, the root of
/// linf if all coordinates but one are a^-1 (sqrt(1 + (n-1) a^2) - 1) / (n-1) times that one.
/// They are never above the published bounds: QSGD's min(n / s^2, sqrt(n) / s), natural dithering's
/// 1/8 + min(x, x^2), x = sqrt(n) 2^(1-s).
double dither_worst_omega(DitherNorm norm, std::size_t n, const LevelSet& levels);

/// Returns E ||C(z) - z||^2 / E ||z||^2 for a bucket of n independent standard normal coordinates, by
/// numerical integration, with a relative accuracy of about 1e-3. For linf the integral is over the
/// distribution of the largest magnitude (given it, the others are independent and truncated); for l2 over
/// that of a coordinate of a random direction.
double dither_gaussian_omega(DitherNorm norm, std::size_t n, const LevelSet& levels);

}  // namespace hearsay

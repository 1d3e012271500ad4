#pragma once

#include <cstddef>

namespace hearsay {

enum class DitherNorm { linf, l2 };

/// The smallest proven omega with E ||C(z) - z||^2 <= omega ||z||^2 for every bucket z of n coordinates, s
/// equally spaced positive levels. With a = 1/s and rho = max (u-l)^2 / (4ul) over adjacent positive levels
/// (1/8; 0 for s = 1):
///
///   l2     min( n / (4 s^2),      rho + a^2 n / (4 (1 + rho))  if a sqrt(n) <= 2 (1 + rho),  else a sqrt(n)
///   - 1 ) linf   min( (n-1) / (4 s^2),  max( rho, (sqrt(1 + (n-1) a^2) - 1) / 2 ) )
///
/// Never above QSGD's published min(n / s^2, sqrt(n) / s).
double dither_worst_omega(DitherNorm norm, std::size_t n, int s);

/// E ||C(z) - z||^2 / E ||z||^2 for a bucket of n independent standard normal coordinates, by numerical
/// integration: for linf over the distribution of the largest magnitude, given which the others are
/// independent and truncated; for l2 over that of a coordinate of a random direction. Relative accuracy about
/// 1e-3.
double dither_gaussian_omega(DitherNorm norm, std::size_t n, int s);

}  // namespace hearsay

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"
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

/// Returns that alpha, the worst relative squared error of the best multiple of a message; in (0, 1).
std::optional<double> worst_relative_error(const Traits& traits);

/// The same for a relative squared error alpha in (0, 1): 1/2 log2(1 / alpha). On Gaussian coordinates of one
/// variance this bounds the mean error, too: it is their rate-distortion function.
double universal_bits(double alpha);

/// A model of the vectors g_i of n peers on some of their coordinates: Gaussian, independent from coordinate
/// to coordinate,
///
///     g_i = s + e_i,   s of variance `shared`, the same at all peers;   e_i of variance `own`, independent
struct CorrelatedVectors {
  double share;  ///< of all coordinates
  double shared;
  double own;
};

/// Returns the model for each bucket of `bucket` coordinates, from the vectors of two peers or more:
///
///     shared + own   the mean of g_i^2
///     shared         the mean of g_i g_k over all pairs; 0 if that is negative
template <class Scalar>
std::vector<CorrelatedVectors> correlated_vectors(std::span<const Vector<Scalar>> vectors, Index bucket);

/// Returns the bits per coordinate with which one peer can tell its vector with the mean squared error
/// `distortion` per coordinate: reverse water-filling over the buckets, of variances v_b = shared + own,
///
///     sum_b share_b min(theta, v_b) = distortion,      R = sum_b share_b 1/2 log2(v_b / min(theta, v_b))
double gaussian_bits(std::span<const CorrelatedVectors> buckets, double distortion);

/// Returns the bits per coordinate, of each of n peers, with which a receiver of all their messages can
/// estimate s with the mean squared error `distortion` per coordinate, if the peers code for each other's
/// correlation. Infinite if even their exact vectors do not tell s so well. In a bucket (the sum rate of the
/// symmetric quadratic Gaussian CEO problem)
///
///     n R_b(D) = 1/2 log2(shared / D) - n/2 log2(1 - (own / n) (1 / D - 1 / shared)),
///                1 / D < 1 / shared + n / own;
///
/// the distortions D_b of the buckets have one slope R_b'(D_b), where they are not at D_b = shared.
/// Source  Oohama 1998, The rate-distortion function for the quadratic Gaussian CEO problem
double ceo_bits(std::span<const CorrelatedVectors> buckets, double peers, double distortion);

/// Returns the mean squared error per coordinate of the mean of n messages as an estimate of s, if each is an
/// unbiased message of its peer's vector with the mean squared error `distortion` per coordinate:
/// (own + distortion) / n, averaged over the buckets.
double distortion_of_mean(std::span<const CorrelatedVectors> buckets, double peers, double distortion);

}  // namespace hearsay

#pragma once

#include "algorithms/compression/seam/traits.hpp"

namespace hearsay {

// The traits of a pipeline, composed from those of its stages. All functions leave `bytes` at 0 and
// `data_dependent_size` at false.

/// The traits of the lossless C(z) = z.
Traits exact_traits();

/// The product of two factors of a variance, each at least 0. If one of them is 0, so is the product, even if
/// the other is infinite.
double product_of_factors(double a, double b);

/// The traits of `second` after `first`, on all coordinates. If both are unbiased: omega = omega_1 + omega_2
/// + omega_1 omega_2 (Horvath et al. 2019, arXiv:1905.10988, Theorem 6). The contraction of one stage is kept
/// if the other loses nothing.
Traits composed(const Traits& first, const Traits& second);

/// The traits of stages behind transforms, given those of all stages together (`composed`), the product of
/// the transforms' expansions, and whether one of them mixes coordinates.
Traits behind_transforms(Traits traits, double expansion, bool mixed);

/// The traits of a quantizer on what a selector T keeps. If T is unbiased (randk, scaled): as in `composed`.
/// If T is a projection that keeps a share delta of ||z||^2: ||C(z) - z||^2 = ||z||^2 - ||z_T||^2 + ||Q(z_T)
/// - z_T||^2, so the contractions multiply.
Traits on_selection(const Traits& selector, const Traits& quantizer);

}  // namespace hearsay

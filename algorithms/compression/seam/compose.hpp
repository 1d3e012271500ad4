#pragma once

#include "algorithms/compression/seam/traits.hpp"

namespace hearsay {

/// The traits of a pipeline from those of its stages; `bytes` and `data_dependent_size` are left at 0 and
/// false.

/// The traits of C(z) = z.
Traits exact_traits();

/// The product of two factors of a variance, each at least 0. It is 0 if one is 0, even if the other is
/// infinite.
double product_of_factors(double a, double b);

/// `second` after `first`, on all coordinates. Unbiased after unbiased: omega = omega_1 + omega_2 + omega_1
/// omega_2 (Horvath et al. 2019, arXiv:1905.10988, Theorem 6). A contraction is kept if the other stage loses
/// nothing.
Traits composed(const Traits& first, const Traits& second);

/// A quantizer on what a selector T keeps. If T is unbiased (randk, scaled): as above. If T is a projection
/// that keeps a share delta of ||z||^2: ||C(z) - z||^2 = ||z||^2 - ||z_T||^2 + ||Q(z_T) - z_T||^2, so the
/// contractions multiply.
Traits on_selection(const Traits& selector, const Traits& quantizer);

}  // namespace hearsay

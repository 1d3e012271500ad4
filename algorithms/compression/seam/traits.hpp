#pragma once

#include <cstddef>
#include <limits>
#include <optional>

namespace hearsay {

/// What is known of a compressor C on vectors z in R^d before any data is seen.
///
///   unbiased      E C(z) = z
///   omega         E ||C(z) - z||^2 <= omega ||z||^2 for every z (unbiased C only); infinite if no relative
///                 bound exists
///   omega_typical the same ratio on Gaussian data, for the largest bucket (each bucket has its own error). A
///                 method refuses a compressor if this ratio is too large, and only warns if the worst case
///                 is. Infinite if there is no closed form; typical_omega.hpp then measures it
///   contraction   delta with E ||C(z) - z||^2 <= (1 - delta) ||z||^2; empty if C does not contract
///   absolute_error_per_coordinate  a with E (C(z)_k - z_k)^2 <= a^2 for every z; empty if the error
///                 scales with z
///   reach         how far a holder's side information may be from z in any coordinate; empty if the
///                 compressor uses none
///   bytes         size of the payload; exact unless `data_dependent_size`, then an upper bound
///
/// Near 0 a format runs out of exponents, and errors become absolute. So a bound relative to ||z|| holds
/// relative to max(||z||, sqrt(d) r). r is 2^20 times the smallest normal number of Scalar (2^-106 in float,
/// 2^-1002 in double). For bf16 it is that of float, whatever Scalar is. For natural(bits=8), with a smallest
/// power of 2^-109, it is 2^-98.
struct Traits {
  bool unbiased = false;
  double omega = std::numeric_limits<double>::infinity();
  double omega_typical = std::numeric_limits<double>::infinity();
  std::optional<double> contraction;
  std::optional<double> absolute_error_per_coordinate;
  std::optional<double> reach;
  bool deterministic = false;
  bool data_dependent_size = false;
  std::size_t bytes = 0;
};

}  // namespace hearsay

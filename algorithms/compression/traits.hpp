#pragma once

#include <cstddef>
#include <limits>
#include <optional>

namespace hearsay {

/// What is known about a compressor C applied to a vector z in R^d, before any data is seen.
///
///   unbiased      E C(z) = z
///   omega         E ||C(z) - z||^2 <= omega ||z||^2 for every z (unbiased C only); infinite where no relative
///                 bound exists
///   omega_typical the same ratio on Gaussian data (what a validator refuses on; it only warns on the worst case)
///   contraction   delta with E ||C(z) - z||^2 <= (1 - delta) ||z||^2; empty where C does not contract
///   absolute_error_per_coordinate  a with E (C(z)_k - z_k)^2 <= a^2 for every z; empty where the error
///                 scales with z
///   bytes         size of the payload; exact unless `data_dependent_size`, then an upper bound
struct Traits {
  bool unbiased = false;
  double omega = std::numeric_limits<double>::infinity();
  double omega_typical = std::numeric_limits<double>::infinity();
  std::optional<double> contraction;
  std::optional<double> absolute_error_per_coordinate;
  bool deterministic = false;
  bool data_dependent_size = false;
  std::size_t bytes = 0;
};

}  // namespace hearsay

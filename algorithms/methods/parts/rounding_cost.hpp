#pragma once

#include <span>
#include <utility>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"
#include "algorithms/compression/seam/bracket.hpp"

namespace hearsay {

/// What a random rounding C of z in R^n costs, known before anything is drawn:
///
///   rms_error   sqrt((1/n) sum_k E (C(z)_k - z_k)^2)
///   bits        the entropy of the values that C(z)_k may have, each with its mean share over k: what an
///               entropy coder is expected to take a coordinate, at most
struct RoundingCost {
  double rms_error = 0.0;
  double bits = 0.0;
};

/// `brackets`: those of z (RoundingCompressor). `outcomes` is scratch. All is 0 without brackets.
template <class Scalar>
RoundingCost expected_cost(std::span<const Scalar> z, std::span<const Bracket> brackets,
                           std::vector<std::pair<double, double>>& outcomes);

}  // namespace hearsay

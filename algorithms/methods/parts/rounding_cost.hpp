#pragma once

#include <span>
#include <unordered_map>
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

/// The values that coordinates may be rounded to, each with the expected number of coordinates that are. They
/// stand in the order in which they first occur, so a sum over them has the same bits in every call.
class OutcomeCounts {
 public:
  void clear();
  void add(double value, double probability);
  const std::vector<double>& counts() const { return counts_; }

 private:
  std::unordered_map<double, std::size_t> places_;  // by value
  std::vector<double> counts_;
};

/// Adds up the cost of z, whose brackets (RoundingCompressor) come part by part, in order.
template <class Scalar>
class RoundingCostSum {
 public:
  /// `outcomes` is scratch, and outlives this object.
  explicit RoundingCostSum(OutcomeCounts& outcomes) : outcomes_(outcomes) { outcomes_.clear(); }

  void add(std::span<const Scalar> z, std::span<const Bracket> brackets);
  /// All is 0 without brackets.
  RoundingCost cost() const;

 private:
  OutcomeCounts& outcomes_;
  std::size_t count_ = 0;
  double squares_ = 0.0;
};

extern template class RoundingCostSum<float>;
extern template class RoundingCostSum<double>;

}  // namespace hearsay

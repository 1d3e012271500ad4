#include "algorithms/methods/parts/rounding_cost.hpp"

#include <algorithm>
#include <cmath>

namespace hearsay {

void OutcomeCounts::clear() {
  places_.clear();
  counts_.clear();
}

void OutcomeCounts::add(double value, double probability) {
  if (probability == 0.0) return;
  const auto [place, is_new] = places_.try_emplace(value, counts_.size());
  if (is_new) counts_.push_back(0.0);
  counts_[place->second] += probability;
}

template <class Scalar>
void RoundingCostSum<Scalar>::add(std::span<const Scalar> z, std::span<const Bracket> brackets) {
  for (std::size_t k = 0; k < brackets.size(); ++k) {
    const Bracket& bracket = brackets[k];
    const double bias = bracket.mean() - static_cast<double>(z[k]);
    squares_ += bias * bias + bracket.variance();
    outcomes_.add(bracket.low, 1.0 - bracket.probability_up);
    outcomes_.add(bracket.high, bracket.probability_up);
  }
  count_ += brackets.size();
}

template <class Scalar>
RoundingCost RoundingCostSum<Scalar>::cost() const {
  if (count_ == 0) return {};
  const auto n = static_cast<double>(count_);
  double bits = 0.0;
  for (const double count : outcomes_.counts()) bits -= count / n * std::log2(count / n);
  return {std::sqrt(squares_ / n), std::max(bits, 0.0)};
}

template class RoundingCostSum<float>;
template class RoundingCostSum<double>;

}  // namespace hearsay

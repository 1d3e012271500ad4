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
RoundingCost expected_cost(std::span<const Scalar> z, std::span<const Bracket> brackets,
                           OutcomeCounts& outcomes) {
  if (brackets.empty()) return {};
  const auto n = static_cast<double>(brackets.size());
  double squares = 0.0;
  outcomes.clear();
  for (std::size_t k = 0; k < brackets.size(); ++k) {
    const Bracket& bracket = brackets[k];
    const double bias = bracket.mean() - static_cast<double>(z[k]);
    squares += bias * bias + bracket.variance();
    outcomes.add(bracket.low, 1.0 - bracket.probability_up);
    outcomes.add(bracket.high, bracket.probability_up);
  }

  double bits = 0.0;
  for (const double count : outcomes.counts()) bits -= count / n * std::log2(count / n);
  return {std::sqrt(squares / n), std::max(bits, 0.0)};
}

template RoundingCost expected_cost<float>(std::span<const float>, std::span<const Bracket>, OutcomeCounts&);
template RoundingCost expected_cost<double>(std::span<const double>, std::span<const Bracket>,
                                            OutcomeCounts&);

}  // namespace hearsay

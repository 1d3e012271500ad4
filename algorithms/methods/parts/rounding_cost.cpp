#include "algorithms/methods/parts/rounding_cost.hpp"

#include <algorithm>
#include <cmath>

namespace hearsay {

template <class Scalar>
RoundingCost expected_cost(std::span<const Scalar> z, std::span<const Bracket> brackets,
                           std::vector<std::pair<double, double>>& outcomes) {
  if (brackets.empty()) return {};
  const auto n = static_cast<double>(brackets.size());
  double squares = 0.0;
  outcomes.clear();
  for (std::size_t k = 0; k < brackets.size(); ++k) {
    const Bracket& bracket = brackets[k];
    const double bias = bracket.mean() - static_cast<double>(z[k]);
    squares += bias * bias + bracket.variance();
    outcomes.emplace_back(bracket.low, 1.0 - bracket.probability_up);
    outcomes.emplace_back(bracket.high, bracket.probability_up);
  }

  std::ranges::sort(outcomes);
  double bits = 0.0;
  for (std::size_t k = 0; k < outcomes.size();) {
    double expected = 0.0;  // number of coordinates with this value
    const double value = outcomes[k].first;
    for (; k < outcomes.size() && outcomes[k].first == value; ++k) expected += outcomes[k].second;
    if (expected > 0.0) bits -= expected / n * std::log2(expected / n);
  }
  return {std::sqrt(squares / n), std::max(bits, 0.0)};
}

template RoundingCost expected_cost<float>(std::span<const float>, std::span<const Bracket>,
                                           std::vector<std::pair<double, double>>&);
template RoundingCost expected_cost<double>(std::span<const double>, std::span<const Bracket>,
                                            std::vector<std::pair<double, double>>&);

}  // namespace hearsay

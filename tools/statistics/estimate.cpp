#include "tools/statistics/estimate.hpp"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

/// Computed in double. For long double, Boost computes constants at the start of every program, and fails if
/// long double has fewer bits than usual, as under valgrind.
using StudentsT = boost::math::students_t_distribution<
    double, boost::math::policies::policy<boost::math::policies::promote_double<false>>>;

}  // namespace

double student_t(std::size_t degrees_of_freedom) {
  ensure(degrees_of_freedom >= 1, "Student's t has a degree of freedom");
  const StudentsT distribution(static_cast<double>(degrees_of_freedom));
  return boost::math::quantile(distribution, 0.975);
}

Estimate estimate_mean(std::span<const double> values) {
  Estimate found;
  found.count = values.size();
  if (values.empty()) return found;
  const auto count = static_cast<double>(values.size());
  // As the distance from the first value: equal values have exactly that mean, and no deviation.
  const double first = values.front();
  const auto add_distance = [first](double sum, double value) { return sum + (value - first); };
  found.mean = first + std::accumulate(values.begin(), values.end(), 0.0, add_distance) / count;
  if (values.size() == 1) return found;
  double squares = 0.0;
  for (const double value : values) squares += (value - found.mean) * (value - found.mean);
  found.deviation = std::sqrt(squares / (count - 1.0));
  const double half = student_t(values.size() - 1) * found.deviation / std::sqrt(count);
  found.low = found.mean - half;
  found.high = found.mean + half;
  return found;
}

Estimate estimate_ratio(std::span<const double> ones, std::span<const double> others) {
  ensure(ones.size() == others.size(), "pairs have two sides");
  std::vector<double> logarithms;
  for (std::size_t k = 0; k < ones.size(); ++k) logarithms.push_back(std::log(ones[k] / others[k]));
  Estimate found = estimate_mean(logarithms);
  for (double* const part : {&found.mean, &found.deviation, &found.low, &found.high}) *part = std::exp(*part);
  return found;
}

}  // namespace hearsay

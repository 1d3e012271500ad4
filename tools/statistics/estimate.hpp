#pragma once

#include <cstddef>
#include <limits>
#include <span>

namespace hearsay {

/// What repetitions of one experiment say about a figure. What is not known is NaN: everything of no
/// repetition, the deviation and the interval of a single one.
struct Estimate {
  std::size_t count = 0;  ///< of repetitions
  double mean = std::numeric_limits<double>::quiet_NaN();
  double deviation = std::numeric_limits<double>::quiet_NaN();  ///< standard deviation, divisor count - 1
  double low = std::numeric_limits<double>::quiet_NaN();        ///< of the 95 % interval
  double high = std::numeric_limits<double>::quiet_NaN();
};

/// Returns t with P(-t < T < t) = 0.95, for Student's T of so many degrees of freedom, at least 1.
double student_t(std::size_t degrees_of_freedom);

/// Returns the mean m of n values x, their deviation s, and the interval m -+ t s / sqrt(n) with
/// t = student_t(n - 1).
Estimate estimate_mean(std::span<const double> values);

/// Returns by how many times `ones` are greater than `others`, compared in pairs: ones[k] and others[k] are
/// positive figures of two experiments with the same seed, so that what the seed does to both cancels out.
///
/// With d_k = ln(ones[k] / others[k]), m and s their mean and deviation over n pairs: the mean is exp(m), the
/// geometric mean of the ratios; the interval is exp(m -+ t s / sqrt(n)) with t = student_t(n - 1). The
/// deviation is exp(s), a factor.
Estimate estimate_ratio(std::span<const double> ones, std::span<const double> others);

}  // namespace hearsay

#pragma once

#include <span>

#include "algorithms/objectives/samples.hpp"

namespace hearsay::test {

/// A minimum, found without any code of ours but the data.
struct Optimum {
  Vector<double> x;
  double loss;
  double gradient_norm;
};

/// Minimises (1/m) sum_s log(1 + exp(-y_s a_s'x)) + (l2/2) ||x||^2, y_s = -1 for class 0 and 1 for class 1, by Newton's
/// method with step halving, until the gradient's norm is at most 1e-10 or 100 steps are done. The loss is then within
/// gradient_norm^2 / (2 l2) of the least.
Optimum minimise_logistic(const Samples<double>& samples, double l2);

/// The same objective at any x.
double logistic_loss(const Samples<double>& samples, double l2, const Vector<double>& x);

}  // namespace hearsay::test

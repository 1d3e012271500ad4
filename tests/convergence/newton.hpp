#pragma once

#include <span>

#include "algorithms/objectives/samples.hpp"

namespace hearsay::test {

/// A minimum, computed by code that shares only the data with the library.
struct Optimum {
  Vector<double> x;
  double loss;
  double gradient_norm;
};

/// Minimises (1/m) sum_s log(1 + exp(-y_s a_s'x)) + (l2/2) ||x||^2, y_s = -1 for class 0 and 1 for class 1.
/// Takes steps of Newton's method, halved as needed, until the gradient's norm is at most 1e-10 or 100 steps
/// are done. The loss is then within gradient_norm^2 / (2 l2) of the least.
Optimum minimise_logistic(const Samples<double>& samples, double l2);

/// A minimum of the same losses with l1 ||x||_1 instead of the square, and its certificate.
struct SparseOptimum {
  Vector<double> x;
  double loss;
  /// The largest entry of the shortest subgradient: |g_k + l1 sign(x_k)| where x_k != 0, max(|g_k| - l1, 0)
  /// elsewhere.
  double violation;
  /// Upper bound on the loss above the least: violation (||x||_1 + F(0)/l1), since ||x*||_1 <= F(x*)/l1 <=
  /// F(0)/l1.
  double gap;
};

/// Minimises by Newton's method on the losses. Each quadratic model with the l1 term is minimised by
/// coordinate descent, as in GLMNET.
SparseOptimum minimise_sparse_logistic(const Samples<double>& samples, double l1);

/// Returns the objective with the l1 term at any x.
double sparse_logistic_loss(const Samples<double>& samples, double l1, const Vector<double>& x);

/// Returns the objective with the square at any x.
double logistic_loss(const Samples<double>& samples, double l2, const Vector<double>& x);

}  // namespace hearsay::test

#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace hearsay {

/// c x_i^a x_j^b ...: a positive factor times powers of some variables, each named once.
struct Monomial {
  double factor = 1.0;
  std::vector<std::pair<std::size_t, double>> powers = {};  ///< variable and exponent
};

/// A sum of monomials.
using Posynomial = std::vector<Monomial>;

/// Minimise objective(x) over x > 0 so that each of `at_most_one` is at most 1. Monomials with factor 0 count
/// for nothing.
struct GeometricProgram {
  Posynomial objective;
  std::vector<Posynomial> at_most_one;
};

double value_of(const Posynomial& posynomial, const std::vector<double>& x);
/// True if x is strictly feasible, in spite of rounding: `solve` may start there.
bool leaves_room(const GeometricProgram& program, const std::vector<double>& x);

/// Returns a point whose objective is at most a millionth part above the least. In logarithms y = log x the
/// program is convex: log f is the logarithm of a sum of exponentials. A primal-dual interior-point method
/// solves it, in some dozens of Newton steps with a dense Hessian, n^3 / 3 each. `start` must leave room, and
/// the feasible set should be bounded in y: the method would otherwise go on where the objective is flat.
/// The result is feasible. If the numbers have no digits left, it is the best point so far, which may be less
/// accurate.
std::vector<double> solve(const GeometricProgram& program, const std::vector<double>& start);

}  // namespace hearsay

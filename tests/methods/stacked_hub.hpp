#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/methods/stacked_network.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay::test {

// The stacked form of methods with a hub. Column 0 is the hub. What it keeps for itself begins with "hub";
// what else is in column 0 it keeps as a worker.

inline double number_of(const std::optional<std::string>& text) {
  double value = 0.0;
  ensure(text && parse_number(*text, value), "an option is a number");
  return value;
}

template <class Scalar>
Matrix<Scalar> everywhere(const Network<Scalar>& net, const Vector<Scalar>& x) {
  return x.replicate(1, net.X.cols());
}

template <class Scalar>
Vector<Scalar> sum_of_answers(const Network<Scalar>& net, const Matrix<Scalar>& C) {
  Vector<Scalar> sum = Vector<Scalar>::Zero(C.rows());
  for (const Index i : net.answering()) sum += C.col(i);
  return sum;
}

template <class Scalar>
Vector<Scalar> mean_of_answers(const Network<Scalar>& net, const Matrix<Scalar>& C) {
  return sum_of_answers(net, C) / static_cast<Scalar>(net.answering().size());
}

/// Begins an iteration: all hear the hub's model. Returns it.
template <class Scalar>
Vector<Scalar> hear_hub(Network<Scalar>& net) {
  const Vector<Scalar> x = net.X.col(0);
  net.X = everywhere(net, x);
  return x;
}

/// Returns what each peer owes, as a part of this iteration's step.
template <class Scalar>
Matrix<Scalar>& owed(Network<Scalar>& net, const std::string& name) {
  Matrix<Scalar>& E = net.kept(name);
  Matrix<Scalar>& step_size = net.kept(name + " step size");
  for (Index i = 0; i < E.cols(); ++i)
    if (step_size(0, i) != 0) E.col(i) *= step_size(0, i) / net.eta();
  step_size.row(0).setConstant(net.eta());
  return E;
}

}  // namespace hearsay::test

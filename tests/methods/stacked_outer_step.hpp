#pragma once

#include <string>

#include "tests/methods/stacked_network.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay::test {

/// The outer rules as torch's SGD has them: what becomes of the columns of X, for the pseudo-gradients D.
template <class Scalar>
void outer_step(Network<Scalar>& net, const Matrix<Scalar>& D, Matrix<Scalar>& X,
                const std::string& momentum = "outer momentum") {
  const Spelling outer = parse_spelling("algorithm.outer", *net.options().outer);
  const auto rate = static_cast<Scalar>(std::stod(outer.arguments[0]));
  const auto beta = outer.name == "none" ? Scalar(0) : static_cast<Scalar>(std::stod(outer.arguments[1]));
  Matrix<Scalar>& M = net.kept(momentum);
  if (outer.name == "none") X -= rate * D;
  if (outer.name == "none") return;
  M = beta * M + (outer.name == "slowmo" ? Matrix<Scalar>(D / net.eta()) : D);
  if (outer.name == "heavy-ball") X -= rate * M;
  if (outer.name == "nesterov") X -= rate * beta * M + rate * D;
  if (outer.name == "slowmo") X -= rate * net.eta() * M;
}

}  // namespace hearsay::test

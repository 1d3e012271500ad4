#pragma once

#include <string>

#include "tests/methods/stacked_network.hpp"

namespace hearsay::test {

/// The outer rules as torch's SGD has them: what becomes of the columns of X, for the pseudo-gradients D.
void outer_step(Network& net, const Matrix& D, Matrix& X, const std::string& momentum = "outer momentum");

}  // namespace hearsay::test

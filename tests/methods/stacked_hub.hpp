#pragma once

#include <optional>
#include <string>

#include "tests/methods/stacked_network.hpp"

namespace hearsay::test {

// The stacked form of methods with a hub. Column 0 is the hub. What it keeps for itself begins with "hub";
// what else is in column 0 it keeps as a worker.

double number_of(const std::optional<std::string>& text);

/// Returns x as every column.
Matrix everywhere(const Network& net, const Vector<double>& x);

Vector<double> sum_of_answers(const Network& net, const Matrix& C);
Vector<double> mean_of_answers(const Network& net, const Matrix& C);

/// Begins an iteration: all hear the hub's model. Returns it.
Vector<double> hear_hub(Network& net);

/// Returns what each peer owes, as a part of this iteration's step.
Matrix& owed(Network& net, const std::string& name);

}  // namespace hearsay::test

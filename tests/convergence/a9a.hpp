#pragma once

#include <memory>
#include <optional>
#include <string>

#include "algorithms/objectives/samples.hpp"
#include "runtime/record/outcome.hpp"
#include "tests/convergence/newton.hpp"

namespace hearsay::test {

/// The data set a9a and the least loss of a logistic regression on it with l2 = 1e-3.
struct A9a {
  std::string source;
  std::shared_ptr<const Samples<double>> samples;
  Optimum optimum;
};

/// Returns the data and their optimum. Empty, with a message, if HEARSAY_DATA_DIR is not set.
std::optional<A9a> a9a();

/// A run on a9a: the lines of its run file that differ from test to test.
struct A9aRun {
  std::string algorithm;  ///< the keys of [algorithm], on one line
  std::string iterations;
  std::string step_size = "1.0";
  std::string partition = "by-label";
  std::string topology = "kind = \"ring\", peers = 8";
};

struct A9aEnding {
  double gap;  ///< the loss of the mean model above the optimum
  Evaluation last;
};

/// Returns how a run with full gradients ends.
template <class Scalar>
A9aEnding ending_of(const A9a& data, const A9aRun& run);

template <class Scalar>
double gap_of(const A9a& data, const A9aRun& run) {
  return ending_of<Scalar>(data, run).gap;
}

}  // namespace hearsay::test

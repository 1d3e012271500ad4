#include "tests/methods/stacked.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "tests/methods/stacked_network.hpp"

namespace hearsay::test {

namespace {

Recursions all_recursions() {
  Recursions all = baseline_recursions();
  all.merge(outer_loop_recursions());
  all.merge(composite_recursions());
  all.merge(compressed_recursions());
  all.merge(tracking_recursions());
  all.merge(hub_recursions());
  all.merge(hub_step_recursions());
  return all;
}

/// Returns how far the models of an iteration are from X.
double deviation_from(const Matrix& X, const RecordedRun& run, std::uint64_t iteration) {
  double largest = 0.0;
  for (Index i = 0; i < X.cols(); ++i) {
    const Vector<double> model = run.model(iteration, static_cast<PeerId>(i));
    largest = std::max(largest, (X.col(i) - model).cwiseAbs().maxCoeff());
  }
  return largest / X.cwiseAbs().maxCoeff();
}

}  // namespace

StackedComparison compare_with_stacked(RecordedRun& run) {
  static const Recursions recursions = all_recursions();
  StackedComparison comparison;
  const auto recursion = recursions.find(run.method().name);
  if (recursion == recursions.end()) {
    comparison.known = false;
    return comparison;
  }
  Network network(run);
  for (network.t = 1; network.t <= run.iterations(); ++network.t) {
    network.step(recursion->second);
    comparison.deviation = std::max(comparison.deviation, deviation_from(network.X, run, network.t));
  }
  comparison.replayed = network.replayed;
  if (network.compared > 0.0) comparison.flips = network.flipped / network.compared;
  return comparison;
}

}  // namespace hearsay::test

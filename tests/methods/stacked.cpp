#include "tests/methods/stacked.hpp"

#include <map>

#include "tests/methods/stacked_network.hpp"

namespace hearsay::test {

namespace {

template <class Scalar>
double deviation(const Matrix<Scalar>& X, const std::vector<PeerRecord<Scalar>>& peers) {
  double largest = 0.0;
  for (Index i = 0; i < X.cols(); ++i)
    largest = std::max(
        largest,
        static_cast<double>((X.col(i) - peers[static_cast<std::size_t>(i)].model).cwiseAbs().maxCoeff()));
  return largest / static_cast<double>(X.cwiseAbs().maxCoeff());
}

}  // namespace

template <class Scalar>
StackedComparison compare_with_stacked(const Experiment<Scalar>& experiment,
                                       const Recording<Scalar>& recording) {
  std::map<std::string, Recursion<Scalar>> methods = baseline_recursions<Scalar>();
  methods.merge(outer_loop_recursions<Scalar>());
  methods.merge(composite_recursions<Scalar>());
  methods.merge(compressed_recursions<Scalar>());
  methods.merge(tracking_recursions<Scalar>());
  methods.merge(hub_recursions<Scalar>());
  methods.merge(hub_step_recursions<Scalar>());
  StackedComparison comparison;
  const auto method = methods.find(experiment.method->name);
  if (method == methods.end()) {
    comparison.known = false;
    return comparison;
  }
  Network<Scalar> network(experiment, recording);
  for (network.t = 1; network.t < recording.size(); ++network.t) {
    network.step(method->second);
    comparison.deviation = std::max(comparison.deviation, deviation(network.X, recording[network.t]));
  }
  comparison.replayed = network.replayed;
  if (network.compared > 0.0) comparison.flips = network.flipped / network.compared;
  return comparison;
}

template StackedComparison compare_with_stacked<float>(const Experiment<float>&, const Recording<float>&);
template StackedComparison compare_with_stacked<double>(const Experiment<double>&, const Recording<double>&);

}  // namespace hearsay::test

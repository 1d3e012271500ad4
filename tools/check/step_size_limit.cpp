#include "tools/check/step_size_limit.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/foundation/units.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

namespace {

constexpr PeerId most_peers = 4;
constexpr Index most_samples = 256;
constexpr Index most_products = 10'000'000;  // samples times parameters: about 0.02 s of an mlp's gradient
constexpr int power_iterations = 12;

/// The curvature of one peer's objective.
template <class Scalar>
double curvature_of(const Objective<Scalar>& objective, const Vector<Scalar>& point, std::uint64_t seed) {
  const Index dimension = point.size();
  std::vector<Index> samples(static_cast<std::size_t>(
      std::min(objective.sample_count(), std::clamp(most_products / dimension, Index{16}, most_samples))));
  std::iota(samples.begin(), samples.end(), Index{0});
  Vector<Scalar> here(dimension);
  Vector<Scalar> there(dimension);
  objective.gradient(point, samples, here);
  Vector<Scalar> direction(dimension);
  RandomStream random(seed, 0, 0, Purpose::decision);
  for (Scalar& entry : direction) entry = static_cast<Scalar>(random.normal());
  direction.normalize();
  // Small beside the model, and large beside the rounding of its gradients.
  const auto distance = static_cast<Scalar>(1e-3 * std::max(1.0, static_cast<double>(point.norm())));
  double curvature = 0.0;
  for (int k = 0; k < power_iterations; ++k) {
    objective.gradient(point + distance * direction, samples, there);
    direction = (there - here) / distance;
    curvature = static_cast<double>(direction.norm());
    if (!(curvature > 0.0)) return 0.0;
    direction /= static_cast<Scalar>(curvature);
  }
  return curvature;
}

}  // namespace

template <class Scalar>
std::optional<double> largest_curvature(const Experiment<Scalar>& experiment) {
  if (!experiment.settings.model.program.empty() || experiment.problem.at_home) return std::nullopt;
  const PeerId peers = experiment.peer_count();
  const PeerId asked = std::min(peers, most_peers);
  double largest = 0.0;
  for (PeerId k = 0; k < asked; ++k)
    largest = std::max(largest, curvature_of(*experiment.problem.objectives[std::size_t{k} * peers / asked],
                                             experiment.problem.initial, experiment.settings.run.seed));
  return largest;
}

template <class Scalar>
std::optional<std::string> step_size_warning(const Experiment<Scalar>& experiment) {
  const RunSettings::Algorithm& algorithm = experiment.settings.algorithm;
  const MethodOptions& options = algorithm.options;
  const MixingMatrix& mixing = experiment.topology.mixing;
  const bool judged = options.form == "combine-then-adapt" && options.optimizer == "sgd" &&
                      options.staleness.value_or(0) == 0 && experiment.schedule->period() == 1 &&
                      mixing.symmetric() && !algorithm.clip;
  if (!judged) return std::nullopt;
  const std::optional<double> curvature = largest_curvature(experiment);
  if (!curvature || *curvature == 0.0) return std::nullopt;
  const double limit = 1.0 + spectrum(mixing).smallest;
  const auto local_steps = static_cast<double>(options.local_steps.value_or(1));
  if (algorithm.step_size * local_steps * *curvature <= limit) return std::nullopt;
  return "algorithm.step_size = " + number_text(algorithm.step_size) + ": the loss has a curvature of " +
         three_digits(*curvature) + " at the initial model, and " + experiment.method->name +
         " in the form combine-then-adapt is unstable where the step size" +
         (local_steps > 1 ? " times local_steps" : "") +
         " times the curvature is above 1 + lambda_n = " + three_digits(limit) + "; expected less than " +
         three_digits(limit / *curvature / local_steps) + ", or algorithm.form = \"adapt-then-combine\"";
}

template std::optional<double> largest_curvature<float>(const Experiment<float>&);
template std::optional<double> largest_curvature<double>(const Experiment<double>&);
template std::optional<std::string> step_size_warning<float>(const Experiment<float>&);
template std::optional<std::string> step_size_warning<double>(const Experiment<double>&);

}  // namespace hearsay

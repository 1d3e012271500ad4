#include "tools/check/step_size_limit.hpp"

#include <algorithm>
#include <cmath>
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
  // The models are multiplied by pull + (1 - eta h)^K - 1, for the smallest eigenvalue of W.
  const double pull = 1.0 - options.consensus_step.value_or(1.0) * (1.0 - spectrum(mixing).smallest);
  if (pull <= -1.0) return std::nullopt;  // gossip alone diverges, which is another check's
  const auto local_steps = static_cast<double>(options.local_steps.value_or(1));
  const auto factor = [&](double step_times_curvature) {
    return pull - (1.0 - std::pow(1.0 - step_times_curvature, local_steps));
  };
  if (factor(algorithm.step_size * *curvature) > -1.0 && algorithm.step_size * *curvature < 2.0)
    return std::nullopt;
  // Up to a curvature of 1/eta the factor falls; so the largest step below it is found from the left.
  double stable = algorithm.step_size;
  while (!(factor(stable * *curvature) > -1.0 && stable * *curvature < 1.0)) stable /= 1.1;
  return "algorithm.step_size = " + number_text(algorithm.step_size) + ": the loss has a curvature of " +
         three_digits(*curvature) + " at the initial model, and on a quadratic of this curvature " +
         experiment.method->name +
         " in the form combine-then-adapt is unstable on this topology; expected less than " +
         three_digits(stable) + ", or algorithm.form = \"adapt-then-combine\"";
}

template std::optional<double> largest_curvature<float>(const Experiment<float>&);
template std::optional<double> largest_curvature<double>(const Experiment<double>&);
template std::optional<std::string> step_size_warning<float>(const Experiment<float>&);
template std::optional<std::string> step_size_warning<double>(const Experiment<double>&);

}  // namespace hearsay

#include "tools/check/curvature.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay {

namespace {

constexpr std::size_t most_sampled_peers = 4;
constexpr Index most_samples = 256;
constexpr Index most_products = 10'000'000;  // samples times parameters: about 0.02 s of an mlp's gradient
constexpr int power_iterations = 12;
/// A power iteration comes within a factor of `far` of the largest eigenvalue in so many steps.
constexpr int enough_to_be_far = 3;
constexpr double far = 10.0;

/// A random direction of length 1.
template <class Scalar>
Vector<Scalar> drawn_direction(Index dimension, std::uint64_t seed) {
  Vector<Scalar> direction(dimension);
  RandomStream random(seed, 0, 0, Purpose::decision);
  for (Scalar& entry : direction) entry = static_cast<Scalar>(random.normal());
  direction.normalize();
  return direction;
}

/// The curvature of one peer's objective, by a power iteration that begins in `direction`.
template <class Scalar>
double curvature_of(const Objective<Scalar>& objective, const Vector<Scalar>& point, Vector<Scalar> direction,
                    const std::function<bool(double)>& matters) {
  const Index dimension = point.size();
  std::vector<Index> samples(static_cast<std::size_t>(
      std::min(objective.sample_count(), std::clamp(most_products / dimension, Index{16}, most_samples))));
  std::iota(samples.begin(), samples.end(), Index{0});
  Vector<Scalar> here(dimension);
  Vector<Scalar> there(dimension);
  objective.gradient(point, samples, here);
  // Small beside the model, and large beside the rounding of its gradients.
  const auto distance = static_cast<Scalar>(1e-3 * std::max(1.0, static_cast<double>(point.norm())));
  double curvature = 0.0;
  for (int k = 0; k < power_iterations; ++k) {
    if (k == enough_to_be_far && !matters(far * curvature)) return curvature;
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
std::optional<Curvatures> curvatures(const Experiment<Scalar>& experiment,
                                     const std::function<bool(double)>& matters) {
  if (!experiment.settings.model.program.empty() || experiment.problem.at_home) return std::nullopt;
  std::vector<const Objective<Scalar>*> with_data;
  for (const auto& objective : experiment.problem.objectives)
    if (objective->has_data()) with_data.push_back(objective.get());
  const Vector<Scalar>& point = experiment.problem.initial;
  const auto direction = drawn_direction<Scalar>(point.size(), experiment.settings.run.seed);
  std::vector<double> found;
  const std::size_t asked = std::min(with_data.size(), most_sampled_peers);
  for (std::size_t k = 0; k < asked; ++k)
    found.push_back(curvature_of(*with_data[k * with_data.size() / asked], point, direction, matters));
  if (found.empty()) return std::nullopt;
  const auto [least, largest] = std::ranges::minmax(found);
  return Curvatures{least, largest};
}

template std::optional<Curvatures> curvatures<float>(const Experiment<float>&,
                                                     const std::function<bool(double)>&);
template std::optional<Curvatures> curvatures<double>(const Experiment<double>&,
                                                      const std::function<bool(double)>&);

}  // namespace hearsay

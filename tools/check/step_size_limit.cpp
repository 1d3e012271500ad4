#include "tools/check/step_size_limit.hpp"

#include <cmath>

#include "algorithms/methods/parts/shared_options.hpp"
#include "runtime/foundation/units.hpp"
#include "tools/check/curvature.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

template <class Scalar>
std::optional<std::string> step_size_warning(const Experiment<Scalar>& experiment) {
  const RunSettings::Algorithm& algorithm = experiment.settings.algorithm;
  const MethodOptions& options = algorithm.options;
  const MixingMatrix& mixing = experiment.topology.mixing;
  const bool judged = options.find(option::order) == "combine-then-adapt" &&
                      options.find(option::optimizer) == "sgd" &&
                      options.find(option::staleness).value_or(0) == 0 &&
                      experiment.schedule->period() == 1 && mixing.symmetric() && !algorithm.clip;
  if (!judged) return std::nullopt;
  // The models are multiplied by pull + (1 - eta h)^K - 1, for the smallest eigenvalue of W.
  const double pull =
      1.0 - options.find(option::consensus_step).value_or(1.0) * (1.0 - spectrum(mixing).smallest);
  if (pull <= -1.0) return std::nullopt;  // gossip alone diverges, which is another check's
  const auto local_steps = static_cast<double>(options.find(option::local_steps).value_or(1));
  const auto factor = [&](double step_times_curvature) {
    return pull - (1.0 - std::pow(1.0 - step_times_curvature, local_steps));
  };
  const auto is_unstable = [&](double curvature) {
    return !(factor(algorithm.step_size * curvature) > -1.0 && algorithm.step_size * curvature < 2.0);
  };
  const std::optional<Curvatures> of_all = curvatures<Scalar>(experiment, is_unstable);
  if (!of_all || of_all->largest == 0.0) return std::nullopt;
  const double curvature = of_all->largest;
  if (!is_unstable(curvature)) return std::nullopt;
  // Up to a curvature of 1/eta the factor falls; so the largest step below it is found from the left.
  double stable = algorithm.step_size;
  while (!(factor(stable * curvature) > -1.0 && stable * curvature < 1.0)) stable /= 1.1;
  return "algorithm.step_size = " + number_text(algorithm.step_size) + ": the loss has a curvature of " +
         three_digits(curvature) + " at the initial model, and on a quadratic of this curvature " +
         experiment.method->name +
         " in the form combine-then-adapt is unstable on this topology; expected less than " +
         three_digits(stable) + ", or algorithm.order = \"adapt-then-combine\"";
}

template std::optional<std::string> step_size_warning<float>(const Experiment<float>&);
template std::optional<std::string> step_size_warning<double>(const Experiment<double>&);

}  // namespace hearsay

#include "tools/check/censor_limit.hpp"

#include <algorithm>

#include "algorithms/methods/chb.hpp"
#include "algorithms/methods/parts/censor_threshold.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "runtime/foundation/units.hpp"
#include "tools/check/curvature.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

template <class Scalar>
std::optional<std::string> censor_warning(const Experiment<Scalar>& experiment) {
  const RunSettings::Algorithm& algorithm = experiment.settings.algorithm;
  if (!algorithm.options.has(option::threshold)) return std::nullopt;
  const std::string& text = algorithm.options[option::threshold];
  const CensorThreshold given(text);
  const double threshold = given.at(algorithm.step_size);
  const double speed = (1.0 - algorithm.options.find(option::momentum).value_or(0.0)) / algorithm.step_size;
  if (threshold <= speed * speed) return std::nullopt;
  const std::optional<Curvatures> found = curvatures(experiment);
  if (!found || threshold <= found->least * found->least) return std::nullopt;
  const double most = std::max(speed * speed, found->least * found->least);
  return "algorithm.threshold = " + text +
         (given.is_automatic() ? ", which is 0.1 / step_size^2 = " + three_digits(threshold) : "") +
         ": above the square of the curvature of its loss, here " +
         three_digits(found->least * found->least) + ", a worker of " + experiment.method->name +
         " is silent whenever it has just sent, and above ((1 - momentum) / step_size)^2, here " +
         three_digits(speed * speed) +
         ", even if its gradient vanishes, so training may stall; expected at most " + three_digits(most) +
         (given.is_automatic() ? ", or algorithm.momentum of at most 0.68" : "");
}

template std::optional<std::string> censor_warning<float>(const Experiment<float>&);
template std::optional<std::string> censor_warning<double>(const Experiment<double>&);

}  // namespace hearsay

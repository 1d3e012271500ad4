#include "tools/check/tracker_limit.hpp"

#include <algorithm>

#include "algorithms/compression/registry.hpp"
#include "algorithms/compression/typical_omega.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/stability/tracker_trial.hpp"
#include "algorithms/stability/trial.hpp"
#include "runtime/foundation/units.hpp"
#include "tools/check/curvature.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

namespace {

constexpr double least_step_tried = 1e-3;

}  // namespace

template <class Scalar>
std::optional<std::string> tracker_warning(const Experiment<Scalar>& experiment) {
  const RunSettings::Algorithm& algorithm = experiment.settings.algorithm;
  const MixingMatrix& mixing = experiment.topology.mixing;
  if (!experiment.method->compresses_trackers || algorithm.compressor == "none" ||
      experiment.peer_count() == 1 || !mixing.symmetric())
    return std::nullopt;
  const std::optional<Curvatures> of_loss = curvatures(experiment);
  if (!of_loss || of_loss->largest == 0.0) return std::nullopt;
  const auto coordinates =
      std::min(static_cast<std::size_t>(experiment.problem.dimension()), most_trial_coordinates);
  const auto of_run = typical_error(
      *make_compressor<Scalar>(algorithm.compressor, experiment.problem.objectives.front()->segments()),
      static_cast<std::size_t>(experiment.problem.dimension()));
  const auto compressor =
      of_run ? trial_compressor<Scalar>(algorithm.compressor, *of_run, coordinates) : nullptr;
  if (!compressor) return std::nullopt;
  const double fastest = 1.0 - spectrum(mixing).smallest;
  const auto settles = [&](double consensus_step) {
    return trackers_settle({.step_size = algorithm.step_size,
                            .consensus_step = consensus_step,
                            .damping = algorithm.options.find(option::damping).value_or(1.0),
                            .curvature = of_loss->largest},
                           fastest, *compressor, coordinates);
  };
  const double step = algorithm.options[option::consensus_step];
  if (settles(step)) return std::nullopt;
  // A quarter of the first of three steps in a row: each trial is one draw, and no run ends after its rounds.
  double stable = 0.0;
  int in_a_row = 0;
  for (double tried = step / 1.5; tried >= least_step_tried && in_a_row < 3; tried /= 1.5) {
    in_a_row = settles(tried) ? in_a_row + 1 : 0;
    if (in_a_row == 1) stable = tried;
  }
  const double safe = in_a_row == 3 ? stable / 4.0 : 0.0;
  return "algorithm.consensus_step = " + three_digits(step) + ": in a trial with steps of " +
         number_text(algorithm.step_size) + " on quadratics of the loss's curvature, " +
         three_digits(of_loss->largest) + ", the trackers of " + experiment.method->name + " with " +
         algorithm.compressor + " drove the peers apart; expected " +
         (safe > 0.0 ? "less, such as " + three_digits(safe)
                     : std::string("a smaller algorithm.step_size, or another compressor"));
}

template std::optional<std::string> tracker_warning<float>(const Experiment<float>&);
template std::optional<std::string> tracker_warning<double>(const Experiment<double>&);

}  // namespace hearsay

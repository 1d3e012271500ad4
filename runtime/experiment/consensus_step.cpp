#include "runtime/experiment/consensus_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/compression/typical_omega.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/stability/consensus_limit.hpp"
#include "algorithms/stability/gossip_trial.hpp"
#include "runtime/experiment/unsound.hpp"
#include "runtime/foundation/units.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

namespace {

/// The consensus steps of a run at which gossip without gradients is stable.
template <class Scalar>
class StableSteps {
 public:
  explicit StableSteps(const Experiment<Scalar>& experiment)
      : experiment_(experiment),
        limit_(experiment.schedule->period() == 1
                   ? ConsensusLimit::of(experiment.topology.mixing, *experiment.method)
                   : std::nullopt) {
    if (!limit_) return;
    const auto dimension = static_cast<std::size_t>(experiment.problem.dimension());
    const auto compressor = make_compressor<Scalar>(experiment.settings.algorithm.compressor,
                                                    experiment.problem.objectives.front()->segments());
    typical_ = typical_error(*compressor, dimension);
    if (!typical_) return;
    worst_ = worst_error(measured_traits(*compressor, dimension));
    const Traits traits = compressor->traits(dimension);
    if (!traits.unbiased && typical_->noise > 0.0) prepare_trials(dimension);
  }

  bool known() const { return typical_.has_value(); }
  const LinearError& typical() const { return *typical_; }
  /// The limit for errors that forget the past.
  double predicted(const MethodOptions& options) const { return limit_->largest_step(options, *typical_); }
  std::optional<double> predicted_in_the_worst_case(const MethodOptions& options) const {
    if (!worst_) return std::nullopt;
    return limit_->largest_step(options, *worst_);
  }
  /// True if a trial says nothing else, or none is made.
  bool settles(const MethodOptions& options) {
    return !trial_compressor_ ||
           gossip_settles(*experiment_.method, options, fastest_, *trial_compressor_, trial_coordinates_);
  }
  /// The largest step up to `high` that settles; 0 if there is none.
  double largest_that_settles(const MethodOptions& options, double high) {
    if (!trial_compressor_) return high;
    return settling_step(*experiment_.method, options, fastest_, *trial_compressor_, trial_coordinates_,
                         high);
  }

 private:
  void prepare_trials(std::size_t dimension) {
    trial_coordinates_ = std::min(dimension, most_trial_coordinates);
    trial_compressor_ =
        trial_compressor<Scalar>(experiment_.settings.algorithm.compressor, *typical_, trial_coordinates_);
    if (trial_compressor_) fastest_ = 1.0 - spectrum(experiment_.topology.mixing).smallest;
  }

  const Experiment<Scalar>& experiment_;
  std::optional<ConsensusLimit> limit_;
  std::optional<LinearError> typical_;
  std::optional<LinearError> worst_;
  double fastest_ = 0.0;  // the largest 1 - lambda of W
  std::unique_ptr<Compressor<Scalar>> trial_compressor_;
  std::size_t trial_coordinates_ = 0;
};

template <class Scalar>
std::string method_with_compressor(const Experiment<Scalar>& experiment) {
  const std::string& compressor = experiment.settings.algorithm.compressor;
  return experiment.method->name + (compressor == "none" ? "" : " with " + compressor);
}

template <class Scalar>
void refuse_from(double limit, double safe, Experiment<Scalar>& experiment) {
  refuse_unless_allowed(
      experiment.settings,
      {"algorithm.consensus_step",
       three_digits(experiment.settings.algorithm.options[option::consensus_step]),
       method_with_compressor(experiment) + " is predicted to diverge from " + three_digits(limit) +
           " on, on this topology; expected less, such as " + three_digits(safe)},
      experiment.warnings);
}

/// For methods without error feedback: (1 - gamma) I + gamma W has to stay inside the unit circle.
template <class Scalar>
void check_as_in_full_precision(Experiment<Scalar>& experiment) {
  const MixingMatrix& mixing = experiment.topology.mixing;
  const MethodOptions& options = experiment.settings.algorithm.options;
  // A staleness and a momentum of each peer have checks of their own.
  const bool judged_elsewhere = options.find(option::staleness).value_or(0) > 0 ||
                                experiment.method->outer_gossip || experiment.method->asynchronous;
  if (!options.has(option::consensus_step) || options[option::consensus_step] <= 1.0 || judged_elsewhere ||
      !mixing.symmetric() || experiment.peer_count() == 1)
    return;
  const double limit = 2.0 / (1.0 - spectrum(mixing).smallest);
  experiment.consensus_step_limit = ConsensusStepLimit{limit, {}};
  constexpr double rounding = 1e-9;
  if (options[option::consensus_step] >= limit - rounding) refuse_from(limit, limit / 2, experiment);
}

/// Returns a step at which gossip settles: half of the largest one, of two digits. 0 if there is none up to
/// `high`.
template <class Scalar>
double safe_step(StableSteps<Scalar>& steps, const MethodOptions& options, double high) {
  const double half = steps.largest_that_settles(options, high) / 2;
  if (half <= 0.0) return 0.0;
  const double unit = std::pow(10.0, std::floor(std::log10(half)) - 1.0);
  return std::floor(half / unit) * unit;
}

}  // namespace

template <class Scalar>
void check_consensus_step(Experiment<Scalar>& experiment, bool set_by_the_user) {
  const MethodInfo& method = *experiment.method;
  if (experiment.schedule->period() != 1) return;
  if (!method.gossip_model) return check_as_in_full_precision(experiment);
  StableSteps<Scalar> steps(experiment);
  if (!steps.known()) return;
  MethodOptions& options = experiment.settings.algorithm.options;
  const double step = options[option::consensus_step];
  const double predicted = steps.predicted(options);
  experiment.consensus_step_limit = {predicted, steps.predicted_in_the_worst_case(options)};
  if (step < predicted && steps.settles(options)) return;
  const double safe = predicted > 0.0 ? safe_step(steps, options, std::min(step, predicted)) : 0.0;
  if (!set_by_the_user && safe > 0.0) {
    options.set(option::consensus_step, safe);
    experiment.warnings.push_back("algorithm.consensus_step = " + three_digits(safe) +
                                  " is taken: at the default of " + three_digits(step) +
                                  " gossip alone does not settle with " +
                                  experiment.settings.algorithm.compressor + " on this topology");
    return;
  }
  if (step < predicted) {
    experiment.warnings.push_back(
        "algorithm.consensus_step = " + three_digits(step) + ": " + method_with_compressor(experiment) +
        " leaves out again what it left out before, and in a trial of gossip alone the peers drew apart; "
        "expected " +
        (safe <= 0.0 ? std::string("another compressor")
         // What trackers bear depends on the step size, too.
         : method.compresses_trackers
             ? "less than " + three_digits(safe) + "; hearsay check tries the trackers, too"
             : "less, such as " + three_digits(safe)));
    return;
  }
  if (predicted > 0.0) return refuse_from(predicted, safe > 0.0 ? safe : predicted / 2, experiment);
  MethodOptions undamped = options;
  undamped.set(option::damping, 1.0);
  const bool damping_helps = options.has(option::damping) && steps.predicted(undamped) > 0.0;
  const std::string& compressor = experiment.settings.algorithm.compressor;
  refuse_unless_allowed(
      experiment.settings,
      {"algorithm.compressor", compressor,
       method.name + " is predicted to diverge with it at every consensus step; expected " +
           (damping_helps                 ? "algorithm.damping = 1"
            : steps.typical().keep == 1.0 ? "scale{" + compressor + "}"
                                          : "an unbiased one, such as dither(linf, bits=2, bucket=512)")},
      experiment.warnings);
}

template void check_consensus_step<float>(Experiment<float>&, bool);
template void check_consensus_step<double>(Experiment<double>&, bool);

}  // namespace hearsay

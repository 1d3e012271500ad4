#include "algorithms/stability/stable_consensus_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>

#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/compression/typical_omega.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method.hpp"
#include "algorithms/stability/consensus_limit.hpp"
#include "algorithms/stability/gossip_trial.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

namespace {

/// The consensus steps of a run at which gossip without gradients is stable.
template <class Scalar>
class StableSteps {
 public:
  explicit StableSteps(const RunView& view)
      : view_(view), limit_(ConsensusLimit::of(view.mixing, view.method)) {
    if (!limit_) return;
    const auto compressor = make_compressor<Scalar>(view.compressor, view.segments);
    typical_ = typical_error(*compressor, view.dimension);
    if (!typical_) return;
    worst_ = worst_error(measured_traits(*compressor, view.dimension));
    const Traits traits = compressor->traits(view.dimension);
    if (!traits.unbiased && typical_->noise > 0.0) prepare_trials(view.dimension);
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
           gossip_settles(view_.method, options, fastest_, *trial_compressor_, trial_coordinates_);
  }
  /// The largest step up to `high` that settles; 0 if there is none.
  double largest_that_settles(const MethodOptions& options, double high) {
    if (!trial_compressor_) return high;
    return settling_step(view_.method, options, fastest_, *trial_compressor_, trial_coordinates_, high);
  }

 private:
  void prepare_trials(std::size_t dimension) {
    trial_coordinates_ = std::min(dimension, most_trial_coordinates);
    trial_compressor_ = trial_compressor<Scalar>(view_.compressor, *typical_, trial_coordinates_);
    if (trial_compressor_) fastest_ = 1.0 - spectrum(view_.mixing).smallest;
  }

  const RunView& view_;
  std::optional<ConsensusLimit> limit_;
  std::optional<LinearError> typical_;
  std::optional<LinearError> worst_;
  double fastest_ = 0.0;  // the largest 1 - lambda of W
  std::unique_ptr<Compressor<Scalar>> trial_compressor_;
  std::size_t trial_coordinates_ = 0;
};

std::string method_with_compressor(const RunView& view) {
  return view.method.name + (view.compressor == "none" ? "" : " with " + view.compressor);
}

void refuse_from(double limit, double safe, const RunView& view, Advice& advice) {
  advice.unsound("algorithm.consensus_step", three_digits(view.options[option::consensus_step]),
                 method_with_compressor(view) + " is predicted to diverge from " + three_digits(limit) +
                     " on, on this topology; expected less, such as " + three_digits(safe));
}

/// For methods without error feedback: (1 - gamma) I + gamma W has to stay inside the unit circle.
ConsensusStepFound check_as_in_full_precision(const RunView& view, Advice& advice) {
  const MethodOptions& options = view.options;
  // A staleness and a momentum of each peer have checks of their own.
  const bool judged_elsewhere =
      options.find(option::staleness).value_or(0) > 0 || view.method.outer_gossip || view.method.asynchronous;
  if (options.find(option::consensus_step).value_or(0.0) <= 1.0 || judged_elsewhere ||
      !view.mixing.symmetric() || view.peer_count() == 1)
    return {};
  const double limit = 2.0 / (1.0 - spectrum(view.mixing).smallest);
  constexpr double rounding = 1e-9;
  if (options[option::consensus_step] >= limit - rounding) refuse_from(limit, limit / 2, view, advice);
  return {.limit = ConsensusStepLimit{limit, {}}};
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

/// Warns of a step that the model permits, and a trial does not. `safe`: one that settles; 0 if none does.
void warn_of_trial(double safe, const RunView& view, Advice& advice) {
  const std::string less = "less, such as " + three_digits(safe);
  // What trackers bear depends on the step size, too.
  const std::string for_trackers =
      "less than " + three_digits(safe) + "; hearsay check tries the trackers, too";
  advice.warn("algorithm.consensus_step = " + three_digits(view.options[option::consensus_step]) + ": " +
              method_with_compressor(view) +
              " leaves out again what it left out before, and in a trial of gossip alone the peers drew "
              "apart; expected " +
              (safe <= 0.0                       ? "another compressor"
               : view.method.compresses_trackers ? for_trackers
                                                 : less));
}

template <class Scalar>
void refuse_compressor(StableSteps<Scalar>& steps, const RunView& view, Advice& advice) {
  MethodOptions undamped = view.options;
  if (undamped.has(option::damping)) undamped.set(option::damping, 1.0);
  const bool damping_helps = view.options.has(option::damping) && steps.predicted(undamped) > 0.0;
  advice.unsound(
      "algorithm.compressor", view.compressor,
      view.method.name + " is predicted to diverge with it at every consensus step; expected " +
          (damping_helps                 ? "algorithm.damping = 1"
           : steps.typical().keep == 1.0 ? "scale{" + view.compressor + "}"
                                         : "an unbiased one, such as dither(linf, bits=2, bucket=512)"));
}

}  // namespace

template <class Scalar>
ConsensusStepFound check_consensus_step(const RunView& view, bool set_by_the_user, Advice& advice) {
  if (view.links_vary()) return {};
  if (!view.method.gossip_model) return check_as_in_full_precision(view, advice);
  StableSteps<Scalar> steps(view);
  if (!steps.known()) return {};
  const double step = view.options[option::consensus_step];
  const double predicted = steps.predicted(view.options);
  ConsensusStepFound found{
      .limit = ConsensusStepLimit{predicted, steps.predicted_in_the_worst_case(view.options)}};
  if (step < predicted && steps.settles(view.options)) return found;
  const double safe = predicted > 0.0 ? safe_step(steps, view.options, std::min(step, predicted)) : 0.0;
  if (!set_by_the_user && safe > 0.0) {
    found.chosen = safe;
    advice.warn("algorithm.consensus_step = " + three_digits(safe) + " is taken: at the default of " +
                three_digits(step) + " gossip alone does not settle with " + view.compressor +
                " on this topology");
  } else if (step < predicted) {
    warn_of_trial(safe, view, advice);
  } else if (predicted > 0.0) {
    refuse_from(predicted, safe > 0.0 ? safe : predicted / 2, view, advice);
  } else {
    refuse_compressor(steps, view, advice);
  }
  return found;
}

template ConsensusStepFound check_consensus_step<float>(const RunView&, bool, Advice&);
template ConsensusStepFound check_consensus_step<double>(const RunView&, bool, Advice&);

}  // namespace hearsay

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/objectives/problem.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/foundation/units.hpp"
#include "tools/advise/candidates.hpp"
#include "tools/advise/prospect.hpp"

namespace hearsay {

/// A candidate, and the cost of one of its iterations.
struct Contender {
  Prospect prospect;
  double usual_iterations = 1.0;       ///< usual iterations to the target over those of all-reduce
  double seconds_per_iteration = 0.0;  ///< 0 if the dry run did not get far enough
  double bytes = 0.0;                  ///< of the whole run
};

/// The method with the fewest iterations among all that take plain steps: one stochastic gradient per
/// iteration and no momentum.
inline const std::string exact_average = "allreduce-sgd";

/// Returns the settings with which a probe simulates the run: without a target, which the probe looks for
/// itself. If compute is measured, `measured_gradient` replaces it, so that all candidates get the same.
RunSettings simulated(RunSettings settings, Duration measured_gradient);

/// Fills in the time and the bytes of an iteration, and resolves the settings of the candidate; or marks the
/// candidate as refused. Simulates the first few iterations with gradients that cost nothing (dry_run.hpp);
/// `imitated` is the stand-in for the problem (probe_problem.hpp). If the validator wants a smaller consensus
/// step than the default of the method, the candidate gets a half, a quarter or an eighth of it.
template <class Scalar>
void time_iteration(Contender& contender, const Problem<Scalar>& imitated, Duration measured_gradient);

/// Returns DryRun::hub_port_share of an experiment whose settings are `simulated`.
template <class Scalar>
std::optional<double> hub_port_share_of(Experiment<Scalar>& experiment);

/// Sorts the contenders, the most promising first. Among equally long ones, one without a compressor comes
/// first, then the one with fewer bytes. All-reduce is always the very first, since its iterations bound
/// those of the others.
void put_in_order(std::vector<Contender>& contenders);

}  // namespace hearsay

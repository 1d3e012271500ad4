#pragma once

#include <string>
#include <vector>

#include "algorithms/objectives/problem.hpp"
#include "runtime/foundation/units.hpp"
#include "tools/advise/candidates.hpp"
#include "tools/advise/prospect.hpp"

namespace hearsay {

/// A candidate, and what an iteration of it takes.
struct Contender {
  Prospect prospect;
  double usual_iterations = 1.0;       ///< times those of all-reduce
  double seconds_per_iteration = 0.0;  ///< 0 where the dry run did not tell
  double bytes = 0.0;                  ///< of the whole run
};

/// No method that takes plain steps, one stochastic gradient an iteration and no momentum, needs fewer
/// iterations.
inline const std::string exact_average = "allreduce-sgd";

/// The run as a probe simulates it: without a target, which the probe looks for itself, and where compute is
/// measured, with what was measured once for all candidates.
RunSettings simulated(RunSettings settings, Duration measured_gradient);

/// Fills in what an iteration takes, by the first few with gradients that cost nothing (dry_run.hpp,
/// probe_problem.hpp), and resolves the candidate's settings; or refuses it. Where the validator wants a
/// smaller consensus step than the method's own, it gets half, a quarter or an eighth of that. `imitated` is
/// the problem's stand-in.
template <class Scalar>
void time_iteration(Contender& contender, const Problem<Scalar>& imitated, Duration measured_gradient);

/// The most promising first; of two that take equally long, that which does not compress, then that which
/// says less. But all-reduce, by which the others are bound, is the very first.
void put_in_order(std::vector<Contender>& contenders);

}  // namespace hearsay

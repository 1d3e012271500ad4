#pragma once

#include "algorithms/seam/run_view.hpp"
#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// Returns what the method may see of the run, which is resolved. The experiment outlives the view.
template <class Scalar>
RunView view_of(const Experiment<Scalar>& experiment);

/// What `check_soundness` finds beside warnings.
struct Soundness {
  std::optional<double> omega_limit = {};                       ///< Experiment::omega_limit
  std::optional<ConsensusStepLimit> consensus_step_limit = {};  ///< Experiment::consensus_step_limit
  std::optional<double> consensus_step = {};                    ///< to be taken instead of the default
  std::vector<std::string> warnings = {};
};

/// Checks that the method is sound with this mixing matrix, schedule and compressor: what it needs of W
/// (mixing_need.hpp), its options, what it needs of compressors (compressor_need.hpp), its consensus step
/// (stable_consensus_step.hpp), and what it checks itself (MethodInfo::check). Throws Misuse, which names the
/// remedy, for what cannot run at all. For what is unsound it throws Misuse, too, unless
/// algorithm.allow_unsound is set; then that is a warning, as is what is merely doubtful.
template <class Scalar>
Soundness check_soundness(const Experiment<Scalar>& experiment, bool user_sets_consensus_step);

}  // namespace hearsay

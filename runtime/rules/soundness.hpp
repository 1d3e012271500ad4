#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/seam/run_view.hpp"
#include "algorithms/stability/stable_consensus_step.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/graph.hpp"

namespace hearsay {

/// What `check_soundness` finds.
struct Soundness {
  /// The method tolerates compressors of a relative variance below this; if known.
  std::optional<double> omega_limit = {};
  std::optional<ConsensusStepLimit> consensus_step_limit = {};  ///< if known
  std::optional<double> consensus_step = {};                    ///< to be taken instead of the default
  std::vector<std::string> warnings = {};
};

/// Checks that the method is sound with this mixing matrix, schedule and compressor: what it needs of W
/// (mixing_need.hpp), its hub's rounds (round_deadline.hpp), its options, what it needs of compressors
/// (compressor_need.hpp), its consensus step (stable_consensus_step.hpp), and what it checks itself
/// (MethodInfo::check). Throws Misuse, which names the remedy, for what cannot run at all. For what is
/// unsound it throws Misuse, too, unless algorithm.allow_unsound is set; then that is a warning, as is what
/// is merely doubtful.
template <class Scalar>
Soundness check_soundness(const RunSettings& settings, const Graph& graph, const RunView& view,
                          bool user_sets_consensus_step);

}  // namespace hearsay

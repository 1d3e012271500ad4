#pragma once

#include <optional>

#include "algorithms/seam/advice.hpp"
#include "algorithms/seam/run_view.hpp"

namespace hearsay {

/// The least algorithm.consensus_step at which a method is predicted to diverge; 0 if it diverges at every
/// step.
struct ConsensusStepLimit {
  double typical;               ///< for Gaussian data at the compressor
  std::optional<double> worst;  ///< for any data; empty if the compressor promises nothing
};

struct ConsensusStepFound {
  std::optional<ConsensusStepLimit> limit = {};  ///< if known
  std::optional<double> chosen = {};  ///< the step to be taken instead of a default that does not hold
};

/// Checks that gossip without gradients is stable at algorithm.consensus_step in spite of the compressor's
/// error:
///
///   - from the limit of ConsensusLimit on it is refused (Misuse, or a warning with algorithm.allow_unsound).
///     That limit assumes that the error forgets the past.
///   - Below, biased compressors are tried (gossip_settles): top-k leaves out again what it left out before.
///     What does not settle draws a warning that names a step that does.
///   - Methods without error feedback (d-psgd, moniqua, power-gossip) diverge from gamma (1 - lambda_n) = 2
///     on, as in full precision.
///
/// If the user did not set the key, a smaller step is chosen instead of a default that does not hold, with a
/// warning. Says nothing if links change from round to round, or if no limit is known: see
/// consensus_limit.hpp.
template <class Scalar>
ConsensusStepFound check_consensus_step(const RunView& view, bool set_by_the_user, Advice& advice);

}  // namespace hearsay

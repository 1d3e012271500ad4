#pragma once

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// Checks that gossip without gradients is stable at algorithm.consensus_step in spite of the compressor's
/// error, and sets consensus_step_limit:
///
///   - from the limit of ConsensusLimit on it is refused (Misuse, or a warning with algorithm.allow_unsound).
///     That limit assumes that the error forgets the past.
///   - Below, biased compressors are tried (gossip_settles): top-k leaves out again what it left out before.
///     What does not settle draws a warning that names a step that does.
///   - Methods whose error does not come back (d-psgd, moniqua, power-gossip) diverge from
///     gamma (1 - lambda_n) = 2 on, as in full precision.
///
/// If the user did not set the key, a default that does not hold is replaced by a smaller step, with a
/// warning. Says nothing if links change from round to round, or if no limit is known: see
/// consensus_limit.hpp.
template <class Scalar>
void check_consensus_step(Experiment<Scalar>& experiment, bool set_by_the_user);

}  // namespace hearsay

#pragma once

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// Whether a method is sound on this topology with this compressor: what it needs of W, of the schedule and
/// of C. Throws Misuse, with the remedy in the sentence, unless algorithm.allow_unsound is set; what is then
/// wrong, and what is merely doubtful, goes into the experiment's warnings. Fills in its omega_limit and
/// consensus_step_limit, too, where they are cheap to compute (dcd_limit.hpp, consensus_limit.hpp).
template <class Scalar>
void check_soundness(Experiment<Scalar>& experiment);

/// What SAGA's tables of gradients take, over all peers; 0 for every other estimator.
template <class Scalar>
std::uint64_t gradient_table_bytes(const Experiment<Scalar>& experiment);

/// The warning about a compressor whose messages take at least as many bits as those of none.
std::string no_shorter_than_none(const std::string& compressor, double bits_per_coordinate,
                                 std::size_t bits_of_none);

}  // namespace hearsay

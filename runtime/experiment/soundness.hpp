#pragma once

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// Checks that the method is sound with this mixing matrix, schedule and compressor. Throws Misuse, which
/// names the remedy, for what cannot run at all. For what is unsound it throws Misuse, too, unless
/// algorithm.allow_unsound is set; then it adds a warning to the experiment. What is merely doubtful is a
/// warning. Also sets omega_limit if it is cheap to compute (dcd_limit.hpp).
template <class Scalar>
void check_soundness(Experiment<Scalar>& experiment);

/// Returns the size of SAGA's gradient tables in bytes, summed over all peers; 0 for every other estimator.
template <class Scalar>
std::uint64_t gradient_table_bytes(const Experiment<Scalar>& experiment);

/// Returns the warning about a compressor whose messages take at least as many bits as uncompressed ones.
std::string no_shorter_than_none(const std::string& compressor, double bits_per_coordinate,
                                 std::size_t bits_of_none);

}  // namespace hearsay

#pragma once

#include <string>
#include <vector>

#include "runtime/experiment.hpp"

namespace hearsay {

/// Whether a method is sound on this topology with this compressor: what it needs of W, of the schedule and of C.
/// Throws Misuse, with the remedy in the sentence, unless algorithm.allow_unsound is set; what is then wrong, and what is
/// merely doubtful, is returned as warnings.
template <class Scalar>
std::vector<std::string> check_soundness(const Experiment<Scalar>& experiment);

/// DCD-PSGD's mean-square limit: on W, with compression noise of relative variance omega, independent between peers,
/// consensus is stable below the limit and unstable above it.
///
///     M -> W M W + omega Diag((W - I) M (W - I))      on the consensus subspace
///
/// has spectral radius 1 there. For circulant W it is n / sum_{k>=2} (1 - lambda_k) / (1 + lambda_k). Found by bisection
/// over power iterations, O(n^3) each; W symmetric. Infinite for n = 1.
double dcd_omega_limit(const MixingMatrix& mixing);

}  // namespace hearsay

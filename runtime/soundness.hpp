#pragma once

#include "runtime/experiment.hpp"

namespace hearsay {

/// Whether a method is sound on this topology with this compressor: what it needs of W, of the schedule and of C.
/// Throws Misuse, with the remedy in the sentence, unless algorithm.allow_unsound is set; what is then wrong, and what is
/// merely doubtful, goes into the experiment's warnings. Fills in its omega_limit, too, where the method has one
/// and there are 2 to 256 peers: beyond, the limit costs seconds.
template <class Scalar>
void check_soundness(Experiment<Scalar>& experiment);

/// DCD-PSGD's mean-square limit: on W, with compression noise of relative variance omega, independent between peers,
/// consensus is stable below the limit and unstable above it.
///
///     M -> W M W + omega Diag((W - I) M (W - I))      on the consensus subspace
///
/// has spectral radius 1 there. A noise of covariance Diag(d), fed in at every round and mixed ever since, comes back
/// as noise of covariance omega Diag(K d) with
///
///     K_ij = sum_{s>=0} ((W - I) W^s)_ij^2
///          = sum_{k,l>=2} (1 - lambda_k)(1 - lambda_l) / (1 - lambda_k lambda_l) q_ik q_jk q_il q_jl
///
/// over the eigenpairs (lambda_k, q_k) of W but the mean's, so the limit is 1 over the largest eigenvalue of K; for
/// circulant W that is n / sum_{k>=2} (1 - lambda_k) / (1 + lambda_k). O(n^4). W symmetric. Infinite for n = 1, 0 where
/// gossip does not converge at all.
double dcd_omega_limit(const MixingMatrix& mixing);

}  // namespace hearsay

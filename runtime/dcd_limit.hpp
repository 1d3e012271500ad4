#pragma once

#include <optional>
#include <vector>

#include "topology/mixing.hpp"

namespace hearsay {

/// DCD-PSGD's mean-square limit: on W, with compression noise of relative variance omega, independent between peers,
/// consensus is stable below the limit and unstable above it.
///
///     M -> W M W + omega Diag((W - I) M (W - I))      on the consensus subspace
///
/// has spectral radius 1 there. A noise of covariance Diag(d), fed in at every round and mixed ever since, comes back
/// as noise of covariance omega Diag(K d) with
///
///     K_ij = sum_{s>=0} ((W - I) W^s)_ij^2
///          = sum_{k,l>=2} s_kl q_ik q_jk q_il q_jl,     s_kl = (1 - lambda_k)(1 - lambda_l) / (1 - lambda_k lambda_l)
///
/// over the eigenpairs (lambda_k, q_k) of W but the mean's, so the limit is 1 over the largest eigenvalue of K. Where
/// all peers are alike (torus, hypercube, complete: the rows of K have one sum, which by Perron and Frobenius is that
/// eigenvalue) it is n / sum_{k>=2} (1 - lambda_k) / (1 + lambda_k), for circulant W (ring) with the Fourier transform
/// of a row as eigenvalues; otherwise a power iteration, K d = diag(Q (S o (Q' Diag(d) Q)) Q') at O(n^3) a step.
class DcdLimit {
 public:
  /// Nothing where W is not symmetric, and where it would cost seconds: for more than 128 peers if they are not alike,
  /// for more than 1024 if W is not circulant.
  static std::optional<DcdLimit> of(const MixingMatrix& mixing);

  /// Infinite for n = 1, 0 where gossip does not converge at all. Of a I + (1 - a) W where a > 0 is given.
  double omega(double a = 0.0) const;

  /// The smallest self weight that the peers of a I + (1 - a) W have once a is so large that its limit exceeds `omega`.
  double self_weight_for(double omega) const;

 private:
  std::optional<double> row_sum(const std::vector<double>& lambda) const;
  double power_iteration(const std::vector<double>& lambda) const;

  std::size_t peer_count_ = 1;
  double smallest_self_weight_ = 1.0;
  std::vector<double> lambda_;        ///< all but that of the mean
  std::vector<double> eigenvectors_;  ///< n x (n-1), column by column; empty where W is circulant
};

}  // namespace hearsay

#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "topology/mixing.hpp"

namespace hearsay {

/// How compression noise comes back. What the peers compress is linear in the noise that they made before,
/// separately along every eigenvector of W. Noise of variance d_j at peer j, independent between peers and
/// rounds, gives what is compressed the variances K d, with
///
///     K_ij = sum_{k,l} s_kl q_ik q_jk q_il q_jl,     s_kl = sum_{t>=0} r_k(t) r_l(t)
///
/// over the eigenpairs (lambda_k, q_k) of W, r_k(t) the response along q_k, t rounds later. A compressor
/// whose noise has v times the variance of what it compresses is stable, in mean square, if v times the
/// largest eigenvalue of K is below 1. If all peers are alike (torus, hypercube, complete), the rows of K
/// have one sum, which by Perron and Frobenius is that eigenvalue: sum_k s_kk / n. For circulant W (ring) the
/// lambda_k are then the Fourier transform of a row. Otherwise the eigenvalue takes a power iteration, K d =
/// diag(Q (S o (Q' Diag(d) Q)) Q') at O(n^3) a step.
class NoiseFeedback {
 public:
  /// s_kl of two eigenvalues, symmetric; infinite if the sum diverges.
  using Response = std::function<double(double lambda_k, double lambda_l)>;

  /// The feedback on W; nothing if W is not symmetric, or if the eigenvectors would cost seconds: for more
  /// than 1024 peers if W is not circulant.
  static std::optional<NoiseFeedback> of(const MixingMatrix& mixing);

  /// The eigenvalues of W: lambda_1 = 1, of the mean, then the others.
  const std::vector<double>& eigenvalues() const { return lambda_; }

  /// True if no power iteration is needed.
  bool peers_alike() const { return peers_alike_; }

  /// The largest eigenvalue of K.
  double gain(const Response& response) const;

 private:
  double power_iteration(const Response& response) const;

  PeerId peer_count_ = 1;
  bool peers_alike_ = true;
  std::vector<double> lambda_;
  std::vector<double> eigenvectors_;  ///< n x n, column by column; empty if W is circulant
};

}  // namespace hearsay

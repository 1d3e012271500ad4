#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "topology/mixing.hpp"

namespace hearsay {

/// How compression noise feeds back into later messages. The vectors that the peers compress are linear in
/// the noise that they made before, separately along every eigenvector of W. If the noise has variance d_j at
/// peer j, independent between peers and rounds, the compressed vectors have the variances K d, with
///
///     K_ij = sum_{k,l} s_kl q_ik q_jk q_il q_jl,     s_kl = sum_{t>=0} r_k(t) r_l(t)
///
/// over the eigenpairs (lambda_k, q_k) of W. r_k(t) is the response along q_k, t rounds later. A compressor
/// whose noise has v times the variance of its input is stable, in mean square, if v times the largest
/// eigenvalue of K is below 1.
///
/// If all peers are alike (torus, hypercube, complete), all rows of K have the same sum. By Perron and
/// Frobenius this sum is the largest eigenvalue: sum_k s_kk / n. For circulant W (ring) the lambda_k are the
/// Fourier transform of a row. If the peers are not alike, the eigenvalue takes a power iteration, K d =
/// diag(Q (S o (Q' Diag(d) Q)) Q') at O(n^3) a step.
class NoiseFeedback {
 public:
  /// Returns s_kl of two eigenvalues, symmetric. Infinite if the sum diverges.
  using Response = std::function<double(double lambda_k, double lambda_l)>;

  /// Returns the feedback on W. Empty if W is not symmetric, or if the eigenvectors would cost seconds: for
  /// more than 1024 peers if W is not circulant.
  static std::optional<NoiseFeedback> of(const MixingMatrix& mixing);

  /// The eigenvalues of W: first lambda_1 = 1, of the mean, then the others.
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

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "algorithms/objectives/sample_objective.hpp"
#include "algorithms/seam/step_size.hpp"
#include "tools/influence/projection.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

// By how much did training on a sample z lower the loss of a sample z'? (TracIn: Pruthi, Liu, Kale,
// Sundararajan 2020, arXiv:2002.08484.)
//
// In a method that keeps the mean, the mean model moves by the mean of the peers' gradients: its mixing
// matrix, doubly stochastic, cancels. Peer i's is an unbiased estimate of (n/m) sum of grad l(x, z) over its
// shard, so an iteration moves the mean model by
//
//     -(eta_t / m) sum_z grad l(x, z)      expected, over all m samples of all peers
//
// and the loss of z' by -(eta_t / m) sum_z <grad l(x, z), grad l(x, z')>, to first order. The influence of z
// is its term, summed over the run. With models x_k kept at iterations t_0 < t_1 < ... only, the trapezoid
// rule takes the place of the sum (TracInCP):
//
//     I(z, z') = sum_k w_k <grad l(x_k, z), grad l(x_k, z')>
//     w_k = (S_(k-1) + S_k) / (2 m)        S_k = sum of eta_t over t_k < t <= t_(k+1); 0 before and after all
//
// So I is in units of the loss, the sum over all z is close to what training took off the loss of z', and the
// influence of a peer is the sum over its shard. I is symmetric, and I(z, z) is not negative.
//
// Departs from the paper: that weighs a checkpoint with eta alone, which orders the samples alike while steps
// and intervals are constant. If peers' own models x_(k,i) are kept, grad l(x_(k,i), z) takes the place of
// grad l(x_k, z), since it is there that peer i trains; the gradient of z' stays that at the mean.

/// Returns w_0, w_1, ... for models kept at `iterations`, which ascend. `gradients`: of a peer's iteration.
std::vector<double> kept_model_weights(std::span<const std::uint64_t> iterations, const StepSize& step_size,
                                       double gradients, std::uint64_t samples);

/// The models of one kept iteration.
template <class Scalar>
struct KeptPoint {
  std::vector<Vector<Scalar>> models;  ///< one, or by peer; empty for a peer that was gone
  Vector<Scalar> judged;               ///< the mean, or the hub's

  const Vector<Scalar>& of(PeerId peer) const { return models.size() == 1 ? models.front() : models[peer]; }
  bool is_of_peers() const { return models.size() > 1; }
};

/// A training sample of the run.
struct TrainedSample {
  PeerId peer;
  Index row;     ///< in data.source, from 0
  double label;  ///< the class, or the target
};

/// The peers with data, by id; null for a hub that has none.
template <class Scalar>
using Shards = std::vector<const SampleObjective<Scalar>*>;

/// Returns 0, 1, ..., the local samples of the objective.
template <class Scalar>
std::vector<Index> all_samples_of(const SampleObjective<Scalar>& objective) {
  std::vector<Index> all(static_cast<std::size_t>(objective.sample_count()));
  std::iota(all.begin(), all.end(), Index{0});
  return all;
}

/// Adds up the influences of all training samples.
template <class Scalar>
class InfluenceSum {
 public:
  /// `judge`: the test samples. `rows`: those whose influences are wanted one by one. `projection` may be
  /// null. All must outlive the sum.
  InfluenceSum(const Shards<Scalar>& shards, const SampleObjective<Scalar>& judge,
               const std::vector<Index>& rows, const Projection* projection);

  /// Adds the terms of one kept iteration. Calls `tell` with the share of its samples that are done.
  void add(
      const KeptPoint<Scalar>& point, double weight, const std::function<void(double)>& tell = [](double) {});

  const std::vector<TrainedSample>& samples() const { return samples_; }
  /// Of each sample (row) on the mean loss of all test samples (column 0) and on that of each of `rows`.
  const DenseRows<double>& on_tests() const { return on_tests_; }
  const Vector<double>& on_itself() const { return on_itself_; }
  /// Of each peer (row) on the mean loss of the samples of each peer; empty if there are more than 128 peers.
  const DenseRows<double>& between_peers() const { return between_peers_; }
  /// Returns the sums of on_tests() over the shards, by peer.
  DenseRows<double> of_peers() const;

 private:
  void add_between_peers(const KeptPoint<Scalar>& point, double weight);
  DenseRows<Scalar> directions(const Vector<Scalar>& model) const;

  const Shards<Scalar>* shards_;
  const SampleObjective<Scalar>* judge_;
  const std::vector<Index>* rows_;
  const Projection* projection_;
  std::vector<TrainedSample> samples_;
  DenseRows<double> on_tests_;
  Vector<double> on_itself_;
  DenseRows<double> between_peers_;
};

/// Returns the mean loss of all samples of the objective.
template <class Scalar>
double mean_sample_loss(const SampleObjective<Scalar>& objective, const Vector<Scalar>& x);

}  // namespace hearsay

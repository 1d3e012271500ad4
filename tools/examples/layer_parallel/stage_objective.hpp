#pragma once

#include <memory>

#include "tools/examples/layer_parallel/residual_network.hpp"

namespace hearsay::layer_parallel {

/// What peer k of K minimises: its stage's part of the Lagrangian of
///
///     min mean_s loss(out_{K-1})   such that   lambda_{k+1} = out_k(lambda_k, theta_k),   k = 0, ..., K - 2
///
///     f_k(z) = K <kappa_{k+1}, out_k(lambda_k, theta_k) - lambda_{k+1}>          k < K - 1
///     f_k(z) = K mean_s loss(out_k(lambda_k, theta_k))                           k = K - 1
///
/// with lambda_0 the samples. So (1/K) sum_k f_k(z) is the Lagrangian, and the loss of the network where
/// every lambda_{k+1} equals out_k.
///
/// The gradient has all that a stage computes. Its part "adjoint k+1" is K (out_k - lambda_{k+1}), so at a z
/// whose lambda_{k+1} is 0 it is K times what the stage puts out. Its parts "stage k" and "state k" are K
/// times kappa_{k+1} propagated back through the stage. If kappa_{k+1} is 0, they are 0, and nothing is
/// propagated.
template <class Scalar>
class StageObjective final : public Objective<Scalar> {
 public:
  StageObjective(std::shared_ptr<const Stages> stages, std::shared_ptr<const Samples<Scalar>> samples,
                 PeerId stage);

  Index dimension() const override { return stages_->dimension(); }
  Index sample_count() const override { return stages_->samples(); }
  SegmentTable segments() const override { return stages_->segments(); }
  double loss(const Vector<Scalar>& z) const override;
  void gradient(const Vector<Scalar>& z, std::span<const Index> samples,
                Vector<Scalar>& gradient) const override;

 private:
  bool is_last() const { return stage_ + 1 == stages_->count(); }
  /// What enters the stage, one row for each of `samples`.
  DenseRows<Scalar> entering(const Vector<Scalar>& z, std::span<const Index> samples) const;

  std::shared_ptr<const Stages> stages_;
  std::shared_ptr<const Samples<Scalar>> samples_;
  PeerId stage_;
};

/// The network as a whole, on some samples, whatever the stages.
template <class Scalar>
class WholeNetwork {
 public:
  /// Throws Misuse (key data.source) if the samples are sparse, or have no classes.
  WholeNetwork(const Shape& shape, std::shared_ptr<const Samples<Scalar>> samples);

  /// Mean loss of the weights at the beginning of z.
  double loss(const Vector<Scalar>& z) const;
  double accuracy(const Vector<Scalar>& z) const;

 private:
  DenseRows<Scalar> outputs(const Vector<Scalar>& z) const;

  Stages stages_;
  std::shared_ptr<const Samples<Scalar>> samples_;
};

/// Returns how far z is from what the stages put out: sqrt(sum_k ||out_{k-1} - lambda_k||^2 / sum_k
/// ||out_{k-1}||^2), with out_{k-1} computed from lambda_{k-1}. 0 if there is one stage only.
template <class Scalar>
double violation(const Stages& stages, const Samples<Scalar>& samples, const Vector<Scalar>& z);

/// Returns the problem of K = stages.count() peers. The accuracy is that of `judged`.
template <class Scalar>
Problem<Scalar> staged_problem(std::shared_ptr<const Stages> stages,
                               std::shared_ptr<const Samples<Scalar>> samples,
                               std::shared_ptr<const Samples<Scalar>> judged, bool judged_are_test,
                               std::uint64_t seed);

}  // namespace hearsay::layer_parallel

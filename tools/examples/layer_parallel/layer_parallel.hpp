#pragma once

#include <memory>
#include <optional>

#include "runtime/hearsay.hpp"

namespace hearsay::layer_parallel {

/// The keys of [algorithm] that the two methods bring with them.
namespace option {
extern const NumberOption penalty;
extern const CountOption serial_every;
}  // namespace option

/// Layer-parallel training: a network cut into K stages, one a peer, on a path. What enters a stage is a
/// variable of its own, tied to what the stage before puts out by a penalty, and by multipliers.
///
///   min over theta, lambda   mean_s loss(out_{K-1}) + sum_k <kappa_k, r_k> + beta/(2m) ||r_k||^2 = L
///   r_k = out_{k-1}(lambda_{k-1}, theta_{k-1}) - lambda_k,   k = 1, ..., K - 1;   lambda_0: the m samples
///
/// One iteration of stage k:
///
///   pull      k -> k-1:  q_k = kappa_k - (beta/m) lambda_k        (it travels while the stage computes)
///   forward   out_k = stage(lambda_k, theta_k);   k -> k+1: out_k
///   backward  p = q_{k+1} + (beta/m) out_k, the slope of L at out_k; the last stage has that of the loss
///             g = p propagated back through the stage: by theta_k, and by lambda_k
///   state     lambda_k <- lambda_k - gamma (m/beta) (g_lambda - kappa_k - (beta/m) r_k)
///   dual      kappa_k <- kappa_k + (beta/m) r_k                   (lagrangian; penalty: kappa_k = 0)
///   step      theta_k <- theta_k - eta g_theta
///
/// Every R-th iteration, beginning with the first, is a serial correction: the samples go through all stages,
/// and the adjoints come back.
///
///   forward   lambda_k = what stage k - 1 has put out;  k -> k+1: out_k
///   backward  p = the adjoint that stage k + 1 says;  g as above;  k -> k-1: g_lambda
///   dual      kappa_k = g_lambda;  penalty: lambda_k = out_{k-1} - (m/beta) g_lambda, where the penalty
///             pulls as hard as the adjoint
///   step      as above: theta moves by the gradient of the whole network
///
/// Sends      one message to each of its one or two neighbors: C(out_k - what k+1 knows of it) and C(q_k -
///            what k-1 knows of it), vectors in R^(m width). A serial correction sends both in full.
/// Options    penalty = beta; consensus_step = gamma; serial_every = R, 0: no serial correction.
/// Shapes     the point and the model in R^d, d = weights of all stages + 2 (K-1) m width; at most seven
///            vectors in R^(m width).
/// Needs      a path, peer k being stage k; an objective whose segments are called as in Stages, and whose
///            gradient is that of StageObjective. Every gradient is of all samples; algorithm.batch is not
///            read. gamma below about 2 / (1 + ||J||^2), J the derivative of a stage's output by what enters
///            it, and eta beta small enough for the weights before the penalty.
/// Invariant  K = 1 is gradient descent, bit for bit. A serial correction is a step of it, to rounding. Where
///            all r_k = 0 and L is stationary in lambda, the multipliers are the adjoints of
///            back-propagation.
/// Model      peer k says K times its own part of (theta, lambda, kappa), and 0 for the rest. So the mean of
///            the models, which a run evaluates, is all of it.
/// Source     Sun et al. 2020, "Penalty and augmented Lagrangian methods for layer-parallel training of
///            residual networks"; Sun, Dong, Chen, Sun, Li, Dong 2021 (arXiv:2112.05387), where networks
///            produce lambda.
/// Departs    lambda takes one gradient step an iteration, as theta does. Compressed differences to what the
///            other end knows are ours. Samples are not augmented, and there are no minibatches: lambda
///            belongs to the samples.
template <class Scalar>
class LayerParallel : public Algorithm<Scalar> {
 public:
  LayerParallel(const MethodInput<Scalar>& input, bool has_multipliers);

  Task iterate(Iteration<Scalar>& it) final;
  const Vector<Scalar>& model() const final { return model_; }
  void visit_state(StateVisitor<Scalar>& visitor) final;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const final;
  std::uint64_t traffic_period() const final { return serial_every_ == 0 ? 1 : serial_every_; }

 private:
  /// What a stage knows of the interface to the stage before it, all in R^(m width).
  struct Entry {
    Segment state;                // lambda_k
    Segment adjoint;              // kappa_k in the model
    Vector<Scalar> multiplier;    // kappa_k
    Vector<Scalar> heard_output;  // out_{k-1}
    Vector<Scalar> said_pull;     // q_k, as stage k - 1 knows it
  };
  /// And to the stage behind it.
  struct Exit {
    Segment adjoint;             // p in the point, out_k in its gradient
    Vector<Scalar> said_output;  // out_k, as stage k + 1 knows it
    Vector<Scalar> heard_pull;   // q_{k+1}
  };

  bool is_serial(std::uint64_t iteration) const {
    return serial_every_ != 0 && (iteration - 1) % serial_every_ == 0;
  }
  Task correct_serially(Iteration<Scalar>& it);
  Task train_in_parallel(Iteration<Scalar>& it);
  /// Returns C(vector - said), and moves `said` by what it decodes to.
  PacketRef news_of(Iteration<Scalar>& it, const Vector<Scalar>& vector, Vector<Scalar>& said,
                    Purpose purpose);
  PacketRef in_full(Iteration<Scalar>& it, const Vector<Scalar>& vector);
  /// theta_k <- theta_k - eta g_theta, and the model follows.
  void step(Iteration<Scalar>& it, const Vector<Scalar>& gradient);

  PeerId self_;
  Scalar stages_;  // K
  bool has_multipliers_;
  Scalar penalty_ = 0;  // beta / m
  Scalar relaxation_;   // gamma
  std::uint64_t serial_every_;
  Segment weights_;  // theta_k
  std::optional<Entry> entry_;
  std::optional<Exit> exit_;
  std::unique_ptr<Compressor<Scalar>> compressor_;
  Vector<Scalar> model_;
  Vector<Scalar> point_;   // theta_k, lambda_k and p; the rest is 0
  Vector<Scalar> change_;  // in R^(m width)
};

template <class Scalar>
class LayerParallelPenalty final : public LayerParallel<Scalar> {
 public:
  explicit LayerParallelPenalty(const MethodInput<Scalar>& input) : LayerParallel<Scalar>(input, false) {}
};

template <class Scalar>
class LayerParallelLagrangian final : public LayerParallel<Scalar> {
 public:
  explicit LayerParallelLagrangian(const MethodInput<Scalar>& input) : LayerParallel<Scalar>(input, true) {}
};

/// algorithm.kind = "layer-parallel-penalty"
MethodInfo layer_parallel_penalty_info();
/// algorithm.kind = "layer-parallel-lagrangian"
MethodInfo layer_parallel_lagrangian_info();

}  // namespace hearsay::layer_parallel

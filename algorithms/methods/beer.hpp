#pragma once

#include "algorithms/methods/parts/replicas.hpp"
#include "algorithms/methods/parts/split_stream.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// BEER: compressed gradient tracking, for any contractive compressor C, without assumptions on the
/// heterogeneity of the data; with full gradients it converges to the optimum itself.
///
///   trackers   c_i = C(V_i - G_i), sent to every neighbor;   G_i <- G_i + c_i
///   step       x_i <- x_i + gamma sum_j w_ij (H_j - H_i) - eta V_i
///   models     h_i = C(x_i - H_i), sent to every neighbor;   H_i <- H_i + h_i
///   gradient   g_i' = grad F_i(x_i; xi_i)                     (c_i and h_i travel)
///   hear       G_j <- G_j + c_j,  H_j <- H_j + h_j
///   track      V_i <- V_i + gamma sum_j w_ij (G_j - G_i) + g_i' - g_i;   g_i <- g_i'
///
/// The next x_i is the first that needs h_j, and the V_i before it the first that needs c_j. So the gradient
/// hides both.
///
/// Start      V_i = g_i = grad F_i(x_0; xi_i), H = x_0, G = 0. The first c_i is C(0).
/// Options    consensus_step gamma.
/// Sends      2 deg messages of |C| bytes per iteration.
/// Shapes     x, V, H, G, g, a difference and the newest gradient in R^d, H_j and G_j of every neighbor:
///            memory (2 deg + 7) d.
/// Needs      W symmetric doubly stochastic and fixed; C contracting in expectation (an unbiased one scaled
///            by 1/(1 + omega)); full gradients or large batches for convergence beyond a floor. Every
///            message delivered once.
/// Invariant  mean V = mean g, to the rounding of antisymmetric edge terms; the mean of the models moves by
///            -eta mean V; H_j and G_j equal their owners', bit for bit.
/// Source     Zhao, Li, Li, Richtarik, Chi 2022 (arXiv:2201.13320), Algorithm 1.
/// Departs    an iteration begins with the message of the trackers instead of ending with it: all vectors are
///            the same, and so are the random numbers of C, which c_i draws behind h_i of the iteration
///            before. H starts at the common x_0, not at 0; edge differences.
template <class Scalar>
class Beer final : public Algorithm<Scalar> {
 public:
  explicit Beer(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  PacketRef compressed(Iteration<Scalar>& it, const Vector<Scalar>& vector, RandomStream& random,
                       Vector<Scalar>& own_replica);

  std::unique_ptr<Compressor<Scalar>> compressor_;
  double consensus_step_;  // gamma
  Vector<Scalar> x_;
  Vector<Scalar> tracker_;      // V_i
  Vector<Scalar> gradient_;     // g_i
  Vector<Scalar> own_model_;    // H_i
  Replicas<Scalar> models_;     // H_j
  Vector<Scalar> own_tracker_;  // G_i
  Replicas<Scalar> trackers_;   // G_j
  Vector<Scalar> difference_;
  SplitStream<Scalar> random_;  // of h_i, and of the c_i that follows
};

MethodInfo beer_info();

}  // namespace hearsay

#pragma once

#include "algorithms/methods/parts/local_steps.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// DeepSqueeze: gossip on compressed models with error feedback, and no replica at all.
///
///   gradient   g_i = grad F_i(x_i; xi_i);   x_i <- x_i - eta g_i
///   compress   v_i = x_i + e_i;   c_i = C(v_i), encoded once, sent to every neighbor;   e_i <- v_i - c_i
///   consensus  x_i <- x_i + gamma sum_j w_ij (c_j - c_i)
///
/// Options    consensus_step gamma, small, since the model is compressed and not a difference that vanishes;
///            optimizer, local_steps: see LocalSteps.
/// Sends      deg messages of |C| bytes per iteration.
/// Shapes     x, e, v, c_i, c_j, g in R^d: memory 6 d, whatever the degree.
/// Needs      W doubly stochastic, of any round; C contracting in expectation (an unbiased one scaled by 1/(1
///            + omega)).
/// Invariant  consensus keeps the mean of the models, for any C and gamma; e_i + c_i = v_i.
/// Source     Tang, Lian, Qiu, Yuan, Zhang, Zhang, Liu 2019 (arXiv:1907.07346), Algorithm 1.
/// Departs    edge differences; the paper's form of the mixing, X + gamma (W - I) C(V), is the same.
template <class Scalar>
class DeepSqueeze final : public Algorithm<Scalar> {
 public:
  explicit DeepSqueeze(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  std::unique_ptr<Compressor<Scalar>> compressor_;
  double consensus_step_;  // gamma
  Vector<Scalar> x_;
  Vector<Scalar> error_;      // e_i
  Vector<Scalar> corrected_;  // v_i
  Vector<Scalar> own_said_;   // c_i
  Vector<Scalar> heard_;      // c_j
  LocalSteps<Scalar> local_;
};

MethodInfo deep_squeeze_info();

}  // namespace hearsay

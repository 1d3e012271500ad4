#pragma once

#include <cstdint>

#include "algorithms/methods/parts/downlink.hpp"
#include "algorithms/methods/parts/local_steps.hpp"
#include "algorithms/methods/parts/tree_place.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// GenQSGD: a hub; every worker takes a number of local steps of its own, and both directions are quantized.
///
///   down    hub -> i:   c of every round that i missed;   xhat <- xhat + gamma c, one by one
///   local   y_i = xhat;   H_i times: y_i <- y_i - gamma g_i(y_i)          each on its own minibatch
///   up      i -> hub:   c_i = C((y_i - xhat) / gamma)
///   group   j -> hub:   C((m_j/r_j) sum_{i in S_j} c_i)        on a tree: r_j of the m_j of group j answer
///   step    hub:        c = C_dwn((1/r) sum_{i in S} c_i);   xhat <- xhat + gamma c
///
/// gamma is the step size. The hub is peer 0, and a worker, too, if it has data.
///
/// Sends      hub: r messages of |C_dwn| bytes, of the last round (none in iteration 1), to a worker that sat
///            out what it missed, or the model; worker: one of |C| bytes.
/// Options    local_steps = H_i of all; worker_steps = "2, 4, 8": H_i of each peer with data. optimizer:
///            see LocalSteps.
/// Shapes     xhat, y, (y - xhat) / gamma, g in R^d: memory worker 4 d, hub and heads besides the sum 5 d.
/// Needs      a star around peer 0, or a tree of two levels below it. C and C_dwn unbiased.
/// Invariant  all models are equal, bit for bit, as of the last c that was heard. With C_dwn = none it is
///            fed-paq, if C(z / gamma) = C(z) / gamma; with H_i = 1 and no compression gradient descent. On a
///            tree c is unbiased, too, and has the relative variance (1 + omega)^2 - 1 per group at most.
/// Source     Li, Lai, Cui, Lau 2021 (arXiv:2111.13526), Algorithm 1.
/// Departs    one compressor for all workers. A worker may sit out, and then hears what it missed.
template <class Scalar>
class GenQsgd final : public Algorithm<Scalar> {
 public:
  explicit GenQsgd(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  bool is_sound(Index) const override { return downlink_.is_sound(); }
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;
  bool catches_up() const override { return downlink_.catches_up(); }

 private:
  bool is_hub_;
  TreePlace place_;
  Vector<Scalar> x_;  // xhat
  std::unique_ptr<Compressor<Scalar>> compressor_;
  std::unique_ptr<Compressor<Scalar>> down_compressor_;
  Downlink<Scalar> downlink_;
  LocalSteps<Scalar> local_;
  Vector<Scalar> change_;  // (y_i - xhat) / gamma
  Vector<Scalar> sum_;     // of the answers, of the hub and of heads
};

MethodInfo gen_qsgd_info();

}  // namespace hearsay

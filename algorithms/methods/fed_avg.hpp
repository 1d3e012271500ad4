#pragma once

#include "algorithms/methods/parts/local_steps.hpp"
#include "algorithms/methods/parts/outer_rule.hpp"
#include "algorithms/methods/parts/tree_place.hpp"
#include "algorithms/seam/method.hpp"
#include "algorithms/seam/method_options.hpp"

namespace hearsay {

namespace option {
extern const NumberOption proximal;
}  // namespace option

/// FedAvg, FedPAQ and FedProx: a hub, H local steps at every worker, and the mean of the changes. FedPAQ
/// compresses the changes; FedProx adds a proximal term, which pulls local steps back to the hub's model.
///
///   down    hub -> i in S_t:   x                                  (t = 1: an empty message, all know x_0)
///   local   y_i = x;  H times: y_i <- y_i - eta g_i(y_i)          each on its own minibatch;
///                              fed-prox: with g_i(y_i) + mu (y_i - x) in the place of g_i(y_i)
///   up      i -> hub:          c_i = C(y_i - x)                   (C = none but for fed-paq)
///   group   j -> hub:          C((m_j/r_j) sum_{i in S_j} c_i)    on a tree: j passes x on, and speaks for
///                              the r_j of the m_j of its group, itself among them, that take part
///   step    hub:               x <- x + (rho/r) sum_{i in S_t} c_i,   in ascending i;  r = |S_t|
///
/// The hub is peer 0. It is a worker, too, if it has data, and sends itself nothing.
///
/// Sends      hub: r messages of 4d bytes (8d in double), fewer by one if it is itself in S_t; worker: one of
///            |C| bytes. On a tree (topology.kind = "hub-tree(g)") the hub sends and hears g messages, and
///            each of the g peers below it as many more as there are others of its group in the round.
/// Options    optimizer, local_steps = H: see LocalSteps; outer, the hub's step (OuterRule): with momentum it
///            is FedAvgM; proximal = mu.
/// Shapes     x, y, y - x, the sum, g in R^d: memory hub 5 d, worker 4 d, d more with fed-prox or with a
///            group, and the optimizer's state. A worker that sits out keeps its optimizer's state.
/// Needs      nothing of W but that it is a star around peer 0, or a tree of two levels below it. C
///            unbiased: a bias moves the limit. Any worker may be absent. With H > 1 the limit is the point x
///            at which the mean of the y_i is x. It is the optimum only if the f_i have the same minimisers;
///            else there is a bias (client drift) that grows with eta H.
/// Invariant  with H = 1, sgd, none(1), no compression and all workers it is all-reduce SGD, to rounding. The
///            expected step over all S of one size is the step with all workers, on a tree over all draws of
///            its groups. On a tree, without compression, a step with all workers is that of the star, to
///            rounding; with C on both links the relative variance of a group's message is (1 + omega)^2 - 1
///            at most.
/// Source     McMahan et al. 2017 (arXiv:1602.05629), Algorithm 1; Stich 2019 (arXiv:1805.09767). FedPAQ:
///            Reisizadeh et al. 2020 (arXiv:1909.13014), Algorithm 1. FedProx: Li et al. 2020
///            (arXiv:1812.06127), Algorithm 2. FedAvgM: Hsu, Qi, Brown 2019 (arXiv:1909.06335).
/// Departs    McMahan weighs the workers by their samples; here f_i is scaled by n/m instead (Objective), so
///            equal weights are right. The hub never forms y_i from c_i; it adds the c_i up.
template <class Scalar>
class FedAvg final : public Algorithm<Scalar> {
 public:
  explicit FedAvg(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  bool is_hub_;
  TreePlace place_;
  double proximal_;  // mu
  std::unique_ptr<Compressor<Scalar>> compressor_;
  Vector<Scalar> x_;
  LocalSteps<Scalar> local_;
  Vector<Scalar> pulled_;  // g_i(y_i) + mu (y_i - x); empty if mu is 0
  Vector<Scalar> change_;  // y_i - x

  Vector<Scalar> sum_;  // of the answers that it hears, then at the hub minus their mean

  // Of the hub.
  std::optional<OuterStep<Scalar>> outer_;
};

MethodInfo fed_avg_info();
MethodInfo fed_paq_info();
MethodInfo fed_prox_info();

}  // namespace hearsay

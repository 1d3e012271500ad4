#pragma once

#include <memory>
#include <vector>

#include "algorithms/methods/parts/local_steps.hpp"
#include "algorithms/methods/parts/mixing_by_pieces.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/parts/vector_on_the_way.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// D-PSGD: decentralized parallel SGD, full-precision gossip.
///
///   publish    send x_i to every neighbor (it travels while the gradient is computed)
///   gradient   g_i = grad F_i(x_i; xi_i)
///   mix, step  x_i <- x_i + gamma sum_j w_ij (x_j - x_i) - eta g_i        j over the neighbors that i hears
///
/// That is order = "combine-then-adapt", the default for H = 1. With order = "adapt-then-combine" the steps
/// come first, and all of them are mixed. It is the default for H > 1 local steps, and is then local SGD:
///
///   gradient   H times: g_i = grad F_i(x_i; xi_i);  x_i <- x_i - eta g_i
///   publish    send x_i to every neighbor
///   mix        x_i <- x_i + gamma sum_j w_ij (x_j - x_i)
///
/// With staleness s > 0, iteration t waits for the models that were sent s iterations before, and mixes
/// those. With u = x, or u = x - eta g if the steps come first:
///
///   x_i(t+1) = x_i(t) - eta g_i + gamma sum_j w_ij (u_j(t-s) - u_i(t-s))      no sum for t <= s
///
/// A peer may then be s iterations further ahead of its neighbors. So it waits for a slow neighbor only if s
/// iterations in a row are slow. No result depends on time: the same seed gives the same bits.
///
/// Sends      deg messages of 4d bytes (8d in double) per iteration, one sequential message time.
/// Options    optimizer, a local step rule instead of -eta g; local_steps = H: H of them, each on its own
///            minibatch; consensus_step = gamma, 1 in the paper; staleness = s, 0 in the paper; order, above.
/// Shapes     x, g in R^d; memory 2d, d more for other optimizers and their state, d more for H > 1, and
///            another d if the steps come last then, (s + 1) d more for staleness. Long messages are mixed
///            piece by piece, into another vector than x (MixingByPieces).
/// Needs      W doubly stochastic with spectral gap > 0. Negative weights and time-varying rows are fine.
///            With staleness: W symmetric and the same in every round, gamma (1 - lambda_n) < 2 sin(pi / (2
///            (2 s + 1))) (stale_gossip.hpp).
/// Invariant  the mean of the models moves by -eta times the mean gradient, nothing else, with any staleness:
///            both ends of an edge apply the same difference. Equal models with a zero gradient stay, bit for
///            bit (edge-difference form). On the complete graph with gamma = 1, adapt-then-combine is local
///            SGD with averaging.
/// Source     Lian, Zhang, Zhang, Hsieh, Zhang, Liu 2017 (arXiv:1705.09056), Algorithm 1: combine-then-adapt,
///            the gradient is taken at x_i before mixing. Adapt-then-combine: Cattivelli, Sayed 2010,
///            "Diffusion LMS strategies for distributed estimation", section III; H local steps: Stich 2019
///            (arXiv:1805.09767).
/// Departs    the sum is written over edge differences; equal to sum_j w_ij x_j because rows sum to 1. The
///            consensus step is CHOCO's; with W it makes (1 - gamma) I + gamma W.
///            Staleness is ours. Related: consensus in continuous time in which both ends of a link use
///            values of the same delay (Olfati-Saber, Murray 2004, "Consensus problems in networks of agents
///            with switching topology and time-delays"). It requires a delay below pi / (2 lambda_max(L)), to
///            which our bound tends for large s. SSP (Ho et al. 2013, "More effective distributed ML via a
///            stale synchronous parallel parameter server") also bounds how far workers are apart. It lets a
///            worker read newer values if they are there, so that its bits depend on time; here a value is
///            always s iterations old.
template <class Scalar>
class DPsgd final : public Algorithm<Scalar> {
 public:
  explicit DPsgd(const MethodInput<Scalar>& input)
      : consensus_step_(input.options[option::consensus_step]),
        adapts_first_(input.options[option::order] == "adapt-then-combine"),
        // The sum of several steps ends at the x that was not mixed yet.
        mixes_in_place_(input.options[option::staleness] == 0 &&
                        (adapts_first_ || input.options[option::local_steps] == 1)),
        x_(input.initial),
        mixed_(mixes_in_place_ ? 0 : input.initial.size()),
        past_(static_cast<std::size_t>(input.options[option::staleness]), input.initial),
        local_(input) {}
  ~DPsgd() override {
    if (pieces_) pieces_->on_the_way.leave(x_);
  }

  Task iterate(Iteration<Scalar>& it) override;
  void say_again(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  bool takes_pieces() const override { return mixes_in_place_; }
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  struct ByPieces {
    MixingByPieces<Scalar> mixing;
    VectorOnTheWay<Scalar> on_the_way;  // x_i
  };
  Slot publish(Iteration<Scalar>& it);

  double consensus_step_;  // gamma
  bool adapts_first_;
  bool mixes_in_place_;
  Vector<Scalar> x_;
  Vector<Scalar> mixed_;              // empty if it mixes in place, and not by pieces
  std::vector<Vector<Scalar>> past_;  // u_i of the last s iterations; that of iteration t is at t mod s
  std::unique_ptr<ByPieces> pieces_;  // null until messages come in pieces
  LocalSteps<Scalar> local_;
};

MethodInfo d_psgd_info();

}  // namespace hearsay

#pragma once

#include <span>
#include <vector>
#include "algorithms/seam/method_options.hpp"

#include "algorithms/methods/parts/local_optimizer.hpp"
#include "algorithms/methods/parts/votes.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

namespace option {
extern const TextOption vote;
extern const TextOption trust;
}  // namespace option

/// FedVote: a hub whose workers vote on the sign of every weight, a bit or a trit each. The weights are
/// w = tanh(a h) in (-1, 1), a = 1.5, and h is what is trained.
///
///   down    hub -> i in S_t:   h                               (t = 1: an empty message, all know h_0)
///           hub, i:            w = tanh(a h)
///   local   y = h;  H times:   y <- y - eta a (1 - u^2) g_i(u),  u = tanh(a y);  each on its own minibatch
///   up      i -> hub:          v_i, votes for u = tanh(a y):
///             binary           v_i = 1 with probability (1 + u)/2, else -1
///             ternary          v_i = sign(u) with probability |u|, else 0
///   tally   hub:               m = sum_{i in S_t} nu_i v_i
///             equal            nu_i = 1/r,  r = |S_t|
///             votes            kappa_i <- kappa_i/2 + (share of coordinates with v_i = majority)/2;
///                              nu_i = 0 if kappa_i < their mean over S_t, else in proportion to kappa_i
///   step    hub:               h <- atanh(clamp(m))/a,  clamp to +-(1 - 1e-4);   w <- tanh(a h)
///
/// The hub is peer 0, and a worker, too, if it has data. The majority is the sign of the plain sum of the
/// votes; if that is 0, all agree with it. At first kappa_i = 1 and h = atanh(clamp(x_0))/a. The model is w.
///
/// Sends      hub: r messages of 4d bytes (8d in double), none of them in iteration 1, fewer by one if it is
///            itself in S_t; worker: one of ceil(d/8) bytes, or ceil(d/5) if ternary.
/// Options    optimizer, the step on y; local_steps = H; vote: binary or ternary; trust: equal or votes,
///            the two lines under `tally`.
/// Shapes     w, h and y in one, u and its gradient in one, g in R^d: memory worker 4 d, hub besides the
///            tally 5 d, and the optimizer's state. kappa takes a number a peer.
/// Needs      a star around peer 0. Any worker may be absent: its votes do not count, and its kappa stays. A
///            minimiser in (-1, 1)^d. The mean of r votes is off by about 1/sqrt(r), however short the steps
///            are, so the loss has a floor. Where all votes agree dw/dh is 3e-4: such a weight hardly moves
///            any more. Trust leaves out the worse workers of a round, also honest ones.
/// Invariant  with equal trust E m = mean_i u_i, and binary votes have the variance mean_i (1 - u_i^2)/r. If
///            all votes agree, h = +-3.30115, whatever the trust. If fewer than half of the workers flip
///            their votes, and the others agree on every weight, m has the signs of the others' votes.
/// Source     Yue, Jin, Wong, Dai 2021 (arXiv:2110.02998), FedVote and Byzantine-FedVote.
/// Departs    the authors keep the last layer in full precision; here all weights are voted on. Their code
///            adds ternary votes up over whole tensors, which is a slip; here each weight has its own tally.
template <class Scalar>
class FedVote final : public Algorithm<Scalar> {
 public:
  explicit FedVote(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return weights_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  struct Ballot {
    PeerId worker;
    std::span<const std::byte> votes;
    Scalar weight = 1;  // kappa_i, or 0
  };

  void take_local_step(Scalar step_size);
  void count(std::span<const Ballot> ballots);
  void judge(std::span<Ballot> ballots);

  bool is_hub_;
  VoteForm form_;
  std::uint64_t steps_;  // H
  std::unique_ptr<LocalOptimizer<Scalar>> optimizer_;
  Vector<Scalar> latent_;   // h; y while it takes local steps, and at a worker until it hears h again
  Vector<Scalar> weights_;  // w
  Vector<Scalar> point_;    // u; then the gradient by y
  Vector<Scalar> step_;     // of an optimizer other than sgd

  // Of the hub.
  Vector<Scalar> tally_;         // m
  Vector<Scalar> trust_;         // kappa, an entry per peer; empty with equal trust
  std::vector<Ballot> ballots_;  // of one iteration
};

MethodInfo fed_vote_info();

}  // namespace hearsay

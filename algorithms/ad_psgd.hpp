#pragma once

#include "algorithms/method.hpp"

namespace hearsay {

/// AD-PSGD: asynchronous pairwise averaging. Nobody waits for anybody's gradient; peers count iterations of their own.
///
///   snapshot   xhat = x_i;  j drawn evenly from the neighbors that i may ask
///   ask        send x_i to j (it travels while the gradient is computed)
///   gradient   g = grad F_i(xhat; xi): stale, since x_i changes meanwhile
///   average    at j, when the request comes:  reply x_j,  x_j <- (x_i + x_j) / 2
///              at i, when the reply comes:    x_i <- (x_i + x_j) / 2
///   step       x_i <- x_i - eta g, once the reply is in
///
/// Atomic     a peer whose own request is out answers the others after its reply, in the order in which they came, so both
///            ends average the same two vectors. Averaging goes on during gradients, verdicts and waits; only a
///            peer that has ended answers nothing more, and the asker goes on without.
/// No cycles  i may ask the neighbors of smaller color in a greedy coloring (topology/coloring.hpp), so peers that wait for
///            each other form chains, as long as there are colors at most, and each is answered. Those of color 0 ask nobody:
///            they compute and answer.
/// Sends      a request of 4d bytes (8d in double) per iteration, where there is anybody to ask, and as much for every request
///            answered, of which there are as many as asked over all peers. Depends on the draws: a forecast is a bound.
/// Shapes     x, xhat, g in R^d; memory 3d.
/// Needs      links both ways, which stay. The weights of W are not used: who is linked is, and both ends of a pair weigh 1/2.
/// Invariant  an average keeps the sum of the pair, but for the rounding of one sum, and leaves equal models as they are; both
///            ends come out equal, bit for bit; every average that was asked for and done was answered, once.
/// Drift      an evaluation needs every peer, and its verdict holds back those that are 2 evaluate_every ahead: that is how far
///            two peers' iterations differ at most, and the run is no shorter than its slowest peer's gradients.
/// Source     Lian, Zhang, Zhang, Liu 2018 (arXiv:1710.06952), Algorithm 1, and its deadlock-free form with active and passive
///            peers.
/// Departs    any graph: there only bipartite ones, on which two colors are their active and passive sets. An iteration is a
///            peer's own; there k counts the steps of all, and a slow peer does fewer. A gradient goes with one request, by
///            the same peer; there a second thread may average at a rate of its own.
template <class Scalar>
class AdPsgd final : public Algorithm<Scalar>, private Answering<Scalar> {
 public:
  explicit AdPsgd(const MethodInput<Scalar>& input)
      : asks_(input.asks),
        asked_by_(input.neighbors.size() - input.asks.size()),
        x_(input.initial),
        snapshot_(input.initial.size()) {}

  Task iterate(Iteration<Scalar>& it) override;
  Answering<Scalar>* answering() override { return this; }
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  PacketRef answer(Iteration<Scalar>& it, PeerId from, const PacketRef& request) override;
  void take_reply(Iteration<Scalar>& it, PeerId from, const PacketRef& reply) override;

  std::vector<PeerId> asks_;
  std::size_t asked_by_;  // neighbors that may ask this peer
  Vector<Scalar> x_;
  Vector<Scalar> snapshot_;  // xhat
};

MethodInfo ad_psgd_info();

}  // namespace hearsay

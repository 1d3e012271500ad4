#pragma once

#include "algorithms/seam/method.hpp"

namespace hearsay {

/// AD-PSGD: asynchronous pairwise averaging. Nobody waits for anybody's gradient; peers count iterations of their own.
///
///   snapshot   xhat = x_i;  j drawn evenly from the neighbors
///   ask        send x_i to j (it travels while the gradient is computed)
///   gradient   g = grad F_i(xhat; xi): stale, since x_i changes meanwhile
///   average    at j, when the request comes:  reply x_j,  x_j <- (x_i + x_j) / 2
///              at i, when the reply comes:    x_i <- (x_i + x_j) / 2
///   step       x_i <- x_i - eta g, once the reply is in
///
/// Atomic     a peer whose own request is out averages with nobody else before its reply, so both ends average the same two
///            vectors. It puts off the requests of neighbors of larger color in a greedy coloring (topology/coloring.hpp) until
///            then, in the order in which they came, and refuses those of smaller color, which go on without. Averaging goes on
///            during gradients, verdicts and waits; a peer that has ended refuses all.
/// No cycles  only larger colors wait for smaller ones, so peers that are put off form chains, no longer than there are colors.
/// Pace       an exchange takes a round trip, at either end: where that is longer than a gradient, it is what an iteration takes.
/// Sends      a request of 4d bytes (8d in double) per iteration, and as much for every request answered; refusals are empty.
///            Depends on the draws: a forecast is a bound.
/// Shapes     x, xhat, g in R^d; memory 3d.
/// Needs      links both ways, which stay. The weights of W are not used: who is linked is, and both ends of a pair weigh 1/2.
/// Invariant  an average keeps the sum of the pair, but for the rounding of one sum, and leaves equal models as they are; both
///            ends come out equal, bit for bit; every average that was asked for and done was answered, once.
/// Drift      an evaluation needs every peer, and its verdict holds back those that are 2 evaluate_every ahead: that is how far
///            two peers' iterations differ at most, and the run is no shorter than its slowest peer's gradients.
/// Source     Lian, Zhang, Zhang, Liu 2018 (arXiv:1710.06952), Algorithm 1, and its deadlock-free form with active and passive
///            peers.
/// Departs    any graph, and everybody asks: there one side of a bipartite graph does. An iteration is a
///            peer's own; there k counts the steps of all, and a slow peer does fewer. A gradient goes with one request, by
///            the same peer; there a second thread may average at a rate of its own.
template <class Scalar>
class AdPsgd final : public Algorithm<Scalar>, private Answering<Scalar> {
 public:
  explicit AdPsgd(const MethodInput<Scalar>& input)
      : neighbors_(input.neighbors), x_(input.initial), snapshot_(input.initial.size()) {}

  Task iterate(Iteration<Scalar>& it) override;
  Answering<Scalar>* answering() override { return this; }
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  PacketRef answer(Iteration<Scalar>& it, PeerId from, const PacketRef& request) override;
  void take_reply(Iteration<Scalar>& it, PeerId from, const PacketRef& reply) override;

  std::vector<PeerId> neighbors_;
  Vector<Scalar> x_;
  Vector<Scalar> snapshot_;  // xhat
};

MethodInfo ad_psgd_info();

}  // namespace hearsay

#pragma once

#include "algorithms/seam/method.hpp"

namespace hearsay {

/// AD-PSGD: asynchronous pairwise averaging. No peer waits for another's gradient; each counts its own
/// iterations.
///
///   snapshot   xhat = x_i;  j drawn evenly from the neighbors
///   ask        send x_i to j (it travels while the gradient is computed)
///   gradient   g = grad F_i(xhat; xi): stale, since x_i changes meanwhile
///   average    at j, when the request comes:  reply x_j,  x_j <- (x_i + x_j) / 2
///              at i, when the reply comes:    x_i <- (x_i + x_j) / 2
///   step       x_i <- x_i - eta g, once the reply is in
///
/// Atomic     a peer whose own request is out averages with no other peer before its reply, so both ends
///            average the same two vectors. Until then it defers the requests of neighbors of larger color in
///            a greedy coloring (topology/coloring.hpp), in the order in which they came. It refuses those of
///            neighbors of smaller color, which continue without averaging. Averaging goes on during
///            gradients, verdicts and waits; a peer that has ended refuses all requests.
/// No cycles  a peer is deferred only by one of smaller color, so chains of deferred peers end: none is
///            longer than the number of colors.
/// Pace       an exchange takes a round trip at either end. If that is longer than a gradient, an iteration
///            takes as long as a round trip.
/// Sends      a request of 4d bytes (8d in double) per iteration, and as much for every request answered;
///            refusals are empty. The number depends on the draws, so a forecast is a bound.
/// Shapes     x, xhat, g in R^d; memory 3d.
/// Needs      links in both directions, which stay. The weights of W are not used, only its links; both ends
///            of a pair weigh 1/2.
/// Invariant  an average keeps the sum of the pair, but for the rounding of one sum, and leaves equal models
///            as they are. Both ends are then equal, bit for bit. Every request is answered or refused, once.
/// Drift      an evaluation needs every peer, and its verdict holds back peers that are 2 evaluate_every
///            ahead. So the iterations of two peers differ by no more, and the run is no shorter than its
///            slowest peer's gradients.
/// Source     Lian, Zhang, Zhang, Liu 2018 (arXiv:1710.06952), Algorithm 1, and its deadlock-free form with
///            active and passive peers.
/// Departs    any graph, and every peer asks; in the paper one side of a bipartite graph does. Every peer
///            counts its own iterations; in the paper k counts the steps of all, and a slow peer does fewer.
///            Each gradient goes with one request of the same peer; in the paper a second thread may average
///            at a rate of its own.
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

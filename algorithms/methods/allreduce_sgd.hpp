#pragma once

#include "algorithms/methods/parts/ring_sum.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// All-reduce SGD: centralized SGD, the gradients summed by a ring all-reduce on real messages. The baseline.
///
///   gradient        g_i = grad F_i(x; xi_i)
///   reduce-scatter  n-1 steps: pass a partial sum of one of n chunks on to peer i+1, add this peer's part to
///                   the chunk that comes from peer i-1
///   all-gather      n-1 steps: pass a complete chunk on
///   step            x <- x - (eta/n) sum_j g_j
///
/// Sends      2(n-1) messages of 4d/n bytes (8d/n in double) per iteration, one after the other, to the peer
///            with the next id, whatever the mixing graph.
/// Shapes     x, the sum, g in R^d; memory 3d. The chunks and the order of summation: RingSum.
/// Needs      nothing of W. No compressor.
/// Invariant  all models are equal, bit for bit, by construction.
/// Source     the bandwidth-optimal ring of Patarasuk and Yuan 2009, section 4; the gradient is summed
///            unscaled and divided by n in the step.
template <class Scalar>
class AllreduceSgd final : public Algorithm<Scalar> {
 public:
  explicit AllreduceSgd(const MethodInput<Scalar>& input)
      : peer_count_(input.peer_count),
        ring_(input.self, input.peer_count),
        x_(input.initial),
        sum_(input.initial.size()) {}

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  PeerId peer_count_;
  RingSum ring_;
  Vector<Scalar> x_;
  Vector<Scalar> sum_;
};

MethodInfo allreduce_sgd_info();

}  // namespace hearsay

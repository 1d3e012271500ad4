#pragma once

#include "algorithms/methods/parts/all_reduce.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// All-reduce SGD: centralized SGD, the gradients summed by an all-reduce on real messages. The baseline.
///
///   gradient    g_i = grad F_i(x; xi_i)
///   all-reduce  sum_j g_j                         (AllReduce)
///   step        x <- x - (eta/n) sum_j g_j
///
/// Options    reduce, how the sum is formed.
/// Sends      with "ring" 2(n-1) messages of 4d/n bytes (8d/n in double) per iteration, one after the other,
///            to the peer with the next id; with "doubling" log2 n of 4d bytes, one after the other, to peers
///            whose ids differ in one bit (DoublingSum, also for n that is no power of two). Whatever the
///            mixing graph.
/// Shapes     x, the sum, g in R^d; memory 3d. The chunks and the order of summation: RingSum, DoublingSum.
/// Needs      nothing of W. No compressor.
/// Invariant  all models are equal, bit for bit, by construction.
/// Source     the bandwidth-optimal ring of Patarasuk and Yuan 2009, section 4; recursive doubling as in
///            Thakur, Rabenseifner, Gropp 2005. The gradient is summed unscaled and divided by n in the step.
template <class Scalar>
class AllreduceSgd final : public Algorithm<Scalar> {
 public:
  explicit AllreduceSgd(const MethodInput<Scalar>& input)
      : peer_count_(input.peer_count),
        all_reduce_(input.options[option::reduce], input.self, input.peer_count),
        x_(input.initial),
        sum_(input.initial.size()) {}

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  PeerId peer_count_;
  AllReduce all_reduce_;
  Vector<Scalar> x_;
  Vector<Scalar> sum_;
};

MethodInfo allreduce_sgd_info();

}  // namespace hearsay

#pragma once

#include "algorithms/methods/parts/gathered_mean.hpp"
#include "algorithms/methods/parts/ring_gather.hpp"
#include "algorithms/seam/method.hpp"
#include "algorithms/seam/method_options.hpp"

namespace hearsay {

namespace option {
extern const TextOption signs;
}  // namespace option

/// DeMo, decoupled momentum: every peer accumulates its own gradients, and extracts and sends the largest
/// coefficients of their cosine transform.
///
///   accumulate  m_i <- beta m_i + eta g_i,  g_i = grad F_i(x; xi_i)
///   take out    q_i = C(m_i), encoded once;  m_i <- m_i - q_i    (C: the k largest of each chunk of the DCT)
///   gather      n-1 hops: pass the packet of peer i-s on, the same bytes, and take that of peer i-s-1
///   aggregate   Q = (1/n) sum_j q_j              (as coefficients, in ascending j, everywhere: GatheredSum)
///   step        x <- x - Q                                        signed: x <- x - eta sign(Q), sign(0) = 0
///
/// Sends      n-1 messages of |C| bytes per iteration, one after the other, to the peer with the next id,
///            whatever the mixing graph.
/// Options    error_decay = beta; signs = "unsigned", the default, or "signed", the published one;
///            aggregate = "mean", or "senders-mean", the published one: a coefficient's mean over the peers
///            that sent it (GatheredMean).
/// Shapes     x, m, Q, g in R^d: memory 4 d, 2 d more with senders-mean, and n encoded packets.
/// Needs      nothing of W. C with ||C(z) - z|| <= ||z||, as all that select have. If beta < 1, that bounds
///            m: ||m|| <= max ||eta g_i|| / (1 - beta). With beta = 1 C has to contract.
/// Invariant  all models are equal, bit for bit: everybody decodes the same n packets in the same order.
///            m_i + q_i = beta m_i before + eta g_i, to rounding. If C keeps all, and unsigned, it is
///            all-reduce SGD. Unsigned, with beta = 1 and a constant eta it is qsgd-allreduce with error
///            feedback.
/// Limits     signed steps have the length eta in every coordinate, however close the optimum is: they end at
///            a distance of the order of eta, and with heterogeneous data they follow the majority of signs.
///            Unsigned with senders-mean multiplies a coefficient that few send by up to n: with
///            heterogeneous data it diverges (algorithms/README.md).
/// Source     Peng, Quesnelle, Kingma 2024 (arXiv:2411.19870), Algorithm 1, and its code for aggregate.
/// Departs    the defaults of signs and aggregate are ours. There beta = 0.999, k = 32 of tiles of at most
///            64 x 64 of each matrix, and a weight decay whose default is 0; here the vector is cut into runs
///            of 64, and there is no weight decay.
template <class Scalar>
class Demo final : public Algorithm<Scalar> {
 public:
  explicit Demo(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  double decay_;  // beta
  bool signed_;
  std::unique_ptr<Compressor<Scalar>> compressor_;
  RingGather gather_;
  GatheredMean<Scalar> aggregate_;
  Vector<Scalar> x_;
  Vector<Scalar> momentum_;  // m_i
  Vector<Scalar> mean_;      // Q
};

MethodInfo demo_info();

}  // namespace hearsay

#pragma once

#include "algorithms/methods/parts/feedback.hpp"
#include "algorithms/methods/parts/gathered_sum.hpp"
#include "algorithms/methods/parts/leader_choice.hpp"
#include "algorithms/methods/parts/ring_gather.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// QSGD by all-gather: centralized SGD on compressed gradients, which travel round a ring as they were
/// encoded. With error feedback it takes the compressors that gossip does not tolerate, the biased ones.
///
///   gradient    g_i = grad F_i(x; xi_i);  dgd-def: at x - eta m_i
///   correct     p_i = g_i + m_i                                  (algorithm.feedback; none: m_i = 0)
///   choose      leader_topk only: peer t mod n chooses everybody's coordinates, by its own p; n-1 hops
///   compress    c_i = C(p_i), encoded once
///   remember    m_i <- (1 - beta) m_i + beta (p_i - c_i)         (ef and dgd-def: beta = 1; none: nothing)
///   all-gather  n-1 hops: pass the packet of peer i-s on, the same bytes, and take that of peer i-s-1
///   step        x <- x - (eta/n) sum_j c_j                       (in ascending j, everywhere)
///
/// Sends      n-1 messages of |C| bytes per iteration, one after the other, to the peer with the next id,
///            whatever the mixing graph; with leader_topk, n-1 more hops for the choice before.
/// Shapes     x, the sum, g in R^d, with feedback m_i, too: memory 3 d or 4 d, and n encoded packets.
/// Needs      nothing of W. C unbiased, or feedback and a C that contracts (an unbiased C of omega >= 1 does
///            not, scale{C} does). Pays if |C| is below the 8 d / n bytes (16 d / n in double) that a chunk
///            of all-reduce costs on its two rounds.
/// Invariant  All models are equal, bit for bit: everybody decodes the same n packets in the same order. With
///            ef the virtual model x - (eta/n) sum_j m_j follows x' = x' - (eta/n) sum_j g_j, whatever C does
///            and however eta changes; with dgd-def so does the mean z of the points z_j = x - eta m_j at
///            which the gradients are taken,
///
///                z <- z - (eta/n) sum_j grad F_j(z_j)
///
///            which for n = 1, and for quadratic F_j with one Hessian, is uncompressed gradient descent
///            itself. Otherwise the gradients are taken at points as far from z as eta m_j is from its mean.
/// Source     Alistarh et al. 2017 (arXiv:1610.02132), Algorithm 1, on the all-gather of Patarasuk and Yuan
///            2009, section 4; for the feedbacks see feedback.hpp, for the leader leader_topk.hpp.
/// Departs    QSGD's peers broadcast to each other; here the packets hop round the ring. ScaleCom reduces the
///            values of the shared coordinates; here they are gathered like everything else, which costs more
///            bytes from three peers on but keeps the values' own encoding.
template <class Scalar>
class QsgdAllreduce final : public Algorithm<Scalar> {
 public:
  explicit QsgdAllreduce(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;
  std::uint64_t traffic_period() const override;

 private:
  PeerId self_;
  PeerId peer_count_;
  FeedbackRule feedback_;
  std::unique_ptr<Compressor<Scalar>> compressor_;
  Vector<Scalar> x_;
  Vector<Scalar> memory_;  // m_i; empty without feedback
  Vector<Scalar> sum_;     // z, then p_i, then the sum
  RingGather gather_;
  LeaderChoice<Scalar> choice_;
  GatheredSum<Scalar> all_;
};

MethodInfo qsgd_allreduce_info();

}  // namespace hearsay

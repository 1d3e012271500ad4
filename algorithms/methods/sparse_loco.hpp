#pragma once

#include "algorithms/methods/parts/gathered_mean.hpp"
#include "algorithms/methods/parts/local_steps.hpp"
#include "algorithms/methods/parts/outer_rule.hpp"
#include "algorithms/methods/parts/ring_gather.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// SparseLoCo: H local steps at every peer; their change (the pseudo-gradient) is compressed, with error
/// feedback, and gathered.
///
///   inner     y_i = x;  H times: g_i = grad F_i(y_i; xi_i);  y_i <- y_i - eta g_i
///   correct   e_i <- beta e_i + (x - y_i)
///   compress  c_i = C(e_i), encoded once                    (the k largest of every chunk, in 2 bits each)
///   remember  e_i <- e_i - c_i
///   gather    n-1 hops: pass the packet of peer i-s on, the same bytes, and take that of peer i-s-1
///   outer     D = (1/n) sum_j c_j;  x <- x - rho D          (in ascending j, everywhere; algorithm.outer)
///
/// Sends      n-1 messages of |C| bytes per iteration, one after the other, to the peer with the next id,
///            whatever the mixing graph. An iteration is a round of H steps.
/// Options    optimizer, local_steps = H: see LocalSteps; error_decay = beta; outer, the outer rule
///            (OuterRule), which may have momentum besides; aggregate = "mean", or "senders-mean": at each
///            coordinate the mean over the peers that sent it (GatheredMean).
/// Shapes     x, y, e, the sum, g in R^d: memory 5 d, d more with outer momentum, 2 d more with
///            senders-mean, the optimizer's state, and n encoded packets.
/// Needs      nothing of W. C with ||C(z) - z|| <= ||z||, as all that select or round to the mean have. If
///            beta < 1, that bounds e: ||e|| <= max ||x - y_i|| / (1 - beta). With beta = 1 C has to
///            contract.
/// Invariant  all models are equal, bit for bit: everybody decodes the same n packets in the same order.
///            After every round e_i + c_i = beta e_i before + (x - y_i), to rounding. With compressor none
///            and one outer rule it is DiLoCo, whatever beta is.
/// Source     Sarfi, Therien, Lidin, Belilovsky 2025 (arXiv:2508.15706), Algorithm 1.
/// Departs    the default mean is over all peers at every coordinate; the authors' deployment divides by the
///            number of peers that sent the coordinate, and clips each packet's norm to the median. Their
///            local steps are AdamW's with H = 30, beta = 0.95, rho = 0.4 and a schedule; here SGD's with
///            H = 10, rho 0.7. We do not see that "the accumulator replaces the outer momentum":
///            algorithms/README.md.
template <class Scalar>
class SparseLoco final : public Algorithm<Scalar> {
 public:
  explicit SparseLoco(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  double error_decay_;  // beta
  std::unique_ptr<Compressor<Scalar>> compressor_;
  RingGather gather_;
  GatheredMean<Scalar> aggregate_;
  Vector<Scalar> x_;
  Vector<Scalar> error_;  // e_i
  Vector<Scalar> mean_;   // D
  LocalSteps<Scalar> local_;
  OuterStep<Scalar> outer_;
};

MethodInfo sparse_loco_info();

}  // namespace hearsay

#pragma once

#include "algorithms/methods/parts/gathered_sum.hpp"
#include "algorithms/methods/parts/kept_gradients.hpp"
#include "algorithms/methods/parts/leader_choice.hpp"
#include "algorithms/methods/parts/learned_basis.hpp"
#include "algorithms/methods/parts/owed_error.hpp"
#include "algorithms/methods/parts/ring_gather.hpp"
#include "algorithms/methods/parts/ring_sum.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// LGC-like, linear, as a ring without a hub: `lgc`, whose coordinates in the learned basis are summed round
/// the ring instead of gathered, and whose rests are gathered as they were encoded.
///
///   gradient  g_i = grad F_i(x; xi_i)
///   t <= T_0  sum     sum_j g_j: ring all-reduce (RingSum); in the last m of these rounds
///             gather  g_j, n-1 hops: pass the gradient of peer i-s on (RingGather); peer 0 keeps them
///             step    x <- x - (eta/n) sum_j g_j
///   T_0 + 1   learn   peer 0: P = the r leading right singular vectors of all gradients kept, as rows
///             share   P: ring all-reduce, in which the others add zeros
///   then      code    p = g_i + e_i;   z_i = P p;   p <- p - P' z_i
///             choose  leader_topk only: peer t mod n chooses everybody's coordinates, by its own p; n-1 hops
///             rest    s_i = C(p), encoded once;   e_i <- p - s_i
///             sum     sum_j z_j: ring all-reduce; at the same time
///             gather  s_j, n-1 hops
///             step    x <- x - (eta/n) (P' sum_j z_j + sum_j s_j)            (in ascending j, everywhere)
///
/// e_i = 0 at first. m = 4, of 64 peers at most (KeptGradients). r = min(rank, min(n, 64) min(m, T_0), d)
/// (LearnedBasis).
///
/// Sends      to the peer with the next id, whatever the mixing graph: 2(n-1) messages of 4d/n bytes (8d/n in
///            double), in the last m dense rounds n-1 of 4d; once 2(n-1) of 4 r d/n; then 2(n-1) of 4r/n, and
///            n-1 of |C|; with leader_topk one more for the choice.
/// Options    rank, the most that r may be; dense_rounds = T_0.
/// Shapes     x, e, the sum, g in R^d, P r x d: memory (4 + r) d, and n encoded packets; peer 0 besides
///            min(n, 64) m d in the last m dense rounds.
/// Needs      nothing of W. C contracting. n-1 gradients through every link in m rounds: for few peers.
/// Invariant  All models are equal, bit for bit, and so is P: one peer computes it for all, since another
///            machine's eigenvectors may have other bits. Up to round T_0 - m it is all-reduce SGD, bit for
///            bit; throughout it is lgc with all workers, to rounding. In the span of P everything is sent;
///            of the rest, what C sends. What a peer has sent and e_i together are the sum of its gradients
///            (eta constant). With r = 0 it would be qsgd-allreduce with feedback "ef".
/// Source     Abrahamyan, Chen, Bekoulis, Deligiannis 2021 (arXiv:2103.08870), the form with a ring; the ring
///            of Patarasuk and Yuan 2009, section 4.
/// Departs    as lgc: a linear basis in place of the autoencoder, learned once, by one peer, from whole
///            gradients. We know the paper's ring from a secondary source; coordinates that a leader chooses
///            for all are an option here, and their values are gathered, not summed.
template <class Scalar>
class LgcRing final : public Algorithm<Scalar> {
 public:
  explicit LgcRing(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  bool is_sound(Index samples) const override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;
  std::optional<Traffic> traffic_up_to(std::uint64_t last, const PeerRows& rows) const override;

 private:
  // The slots of an iteration, by what they carry.
  Slot rest_slot() const { return 0; }
  Slot code_slot() const { return gather_.hops(); }
  Slot basis_slot() const { return code_slot() + ring_.steps(); }
  Slot choice_slot() const { return basis_slot() + ring_.steps(); }

  void take_gradients(Iteration<Scalar>& it);
  void learn();
  PacketRef encoded(Iteration<Scalar>& it, const Vector<Scalar>& p);
  void sum_rests(Iteration<Scalar>& it);
  void step(Iteration<Scalar>& it) { x_ -= it.step_size() / static_cast<Scalar>(peer_count_) * sum_; }

  PeerId peer_count_;
  bool learns_;                    // peer 0
  std::uint64_t dense_rounds_;     // T_0
  std::uint64_t gathered_rounds_;  // the last of them, m at most
  RingSum ring_;
  RingGather gather_;
  std::unique_ptr<Compressor<Scalar>> full_precision_;
  std::unique_ptr<Compressor<Scalar>> compressor_;
  LeaderChoice<Scalar> choice_;
  GatheredSum<Scalar> rests_;
  Vector<Scalar> x_;
  OwedError<Scalar> error_;     // e_i; p within an iteration
  Vector<Scalar> sum_;          // of the gradients; then of the c_j
  LearnedBasis<Scalar> basis_;  // P
  std::vector<Scalar> code_;    // z_i, then the sum of all; of one iteration
  KeptGradients<Scalar> kept_;  // at peer 0, in the last m dense rounds
};

MethodInfo lgc_ring_info();

}  // namespace hearsay

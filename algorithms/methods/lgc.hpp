#pragma once

#include "algorithms/methods/parts/kept_gradients.hpp"
#include "algorithms/methods/parts/learned_basis.hpp"
#include "algorithms/methods/parts/owed_error.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// LGC-like, linear: the paper trains a small convolutional autoencoder. A hub; gradients in full precision
/// for T_0 rounds, from which the hub learns a basis; then the coordinates in it, and the rest compressed,
/// with error feedback.
///
///   t <= T_0   down    hub -> i:   x                                  (t = 1: an empty message)
///              up      i -> hub:   g_i(x)                          (the hub keeps the last m of 64 workers)
///              step    hub:        x <- x - eta (1/|S|) sum_{i in S} g_i
///   T_0 + 1    learn   hub:        P = the r leading right singular vectors of all gradients kept, as rows
///   then       down    hub -> i:   x, and P if i does not have it yet
///              up      i -> hub:   p = g_i(x) + e_i;   z_i = P p and s_i = C(p - P' z_i);
///                      i:          c_i = P' z_i + s_i;   e_i <- p - c_i
///              step    hub:        x <- x - eta (1/|S|) (P' sum_{i in S} z_i + sum_{i in S} s_i)
///
/// The hub is peer 0, and a worker, too, if it has data. e_i = 0 at first. m = 4 (KeptGradients). Of n
/// workers' gradients there are r = min(rank, min(n, 64) min(m, T_0), d) directions (LearnedBasis).
///
/// Sends      hub: |S| messages of 4d bytes (8d in double), and once 4d r more to each worker; worker: one of
///            4d, from round T_0 + 1 on one of 4r + |C|.
/// Options    rank, the most that r may be; dense_rounds = T_0.
/// Shapes     x, e, g in R^d, P r x d: memory worker (3 + r) d; hub besides the sum (4 + r) d, up to round
///            T_0 min(n, 64) m d instead of r d.
/// Needs      a star around peer 0. C contracting. Any worker may be absent: its e_i stays, and P waits.
/// Invariant  P P' = I, but for rows of zeros. In its span everything is sent, to rounding; of the rest, what
///            C sends. What a worker has sent and e_i together are the sum of its gradients (eta
///            constant). With C none it is SGD on the mean gradient, to rounding.
/// Source     Abrahamyan, Chen, Bekoulis, Deligiannis 2021 (arXiv:2103.08870), the form with a server.
/// Departs    a linear basis in place of the autoencoder. It is learned once, by the hub, from whole
///            gradients. What the workers' gradients have in common is not treated separately.
template <class Scalar>
class Lgc final : public Algorithm<Scalar> {
 public:
  explicit Lgc(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  bool is_sound(Index samples) const override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;
  std::optional<Traffic> traffic_up_to(std::uint64_t last, const PeerRows& rows) const override;

 private:
  bool is_dense(std::uint64_t number) const { return number <= dense_rounds_; }
  std::size_t code_bytes() const { return code_.size() * sizeof(Scalar); }

  void tell(Iteration<Scalar>& it);
  bool hear(Iteration<Scalar>& it, std::span<const PacketRef> packets);
  PacketRef coded_answer(Iteration<Scalar>& it, const Vector<Scalar>& gradient);
  CodecStatus take_dense(PeerId worker, std::span<const std::byte> answer);
  CodecStatus take_coded(std::span<const std::byte> answer);

  std::uint64_t messages_up_to(std::uint64_t last, const PeerRows& rows) const;
  std::uint64_t taught_up_to(std::uint64_t last, const PeerRows& rows) const;

  bool is_hub_;
  PeerId first_worker_;         // 0, or 1 if the hub has no data
  std::uint64_t dense_rounds_;  // T_0
  std::unique_ptr<Compressor<Scalar>> full_precision_;
  std::unique_ptr<Compressor<Scalar>> compressor_;
  Vector<Scalar> x_;
  OwedError<Scalar> error_;     // e_i; p, then p - P' z_i while they are encoded
  LearnedBasis<Scalar> basis_;  // P
  std::vector<Scalar> code_;    // z_i, or the sum of all at the hub; of one iteration

  // Of the hub.
  Vector<Scalar> mean_;                // of the answers
  KeptGradients<Scalar> kept_;         // of every worker; empty unless t <= T_0
  std::vector<std::uint64_t> taught_;  // by peer: 1 if it was sent P
  std::vector<PacketRef> messages_;    // of one `tell`
};

MethodInfo lgc_info();

}  // namespace hearsay

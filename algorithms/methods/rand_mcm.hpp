#pragma once

#include <string>
#include <vector>

#include "algorithms/methods/parts/difference_uplink.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// Rand-MCM: MCM whose hub draws the compression anew for every worker.
///
///   down      hub -> i:   Omega_i = C_dwn(w - H_i),   drawn anew for each i of the round
///             i:          xhat_i = H_i + Omega_i;   H_i <- H_i + alpha_dwn Omega_i      (H_i: at both ends)
///   gradient  g_i(xhat_i)
///   up        i -> hub:   q_i = C(g_i - h_i);   h_i <- h_i + alpha q_i
///   gather    hub:        ghat = hbar + (1/r) sum_{S} q_i;   hbar <- hbar + (alpha/n) sum_{S} q_i
///   step      hub:        w <- w - eta ghat
///
/// The errors of the workers' models are independent, so their mean is smaller than in MCM. The hub encodes r
/// times an iteration, and keeps every H_i.
///
/// Sends      hub: a message of |C_dwn| bytes to each of r workers; worker: one of |C|.
/// Options    memory_step = alpha; down_memory_step = alpha_dwn.
/// Shapes     xhat, H_i, h, g - h, g in R^d: memory worker 5 d; hub besides w, hbar, ghat and the H_i of the
///            other workers, n + 7 d.
/// Needs      a star around peer 0. C and C_dwn unbiased; alpha <= 1 / (1 + omega), alpha_dwn likewise. A
///            worker may sit out; its H_i then stays at both ends.
/// Invariant  H_i is equal at both ends, bit for bit (a state of both, for the hub moves it before it hears).
///            Given the past, E xhat_i = w.
/// Source     Philippenko, Dieuleveut 2021 (arXiv:2102.12528), Algorithm 1, Rand-MCM.
/// Departs    as mcm. Rand-MCM-G, with one H for all that only the hub knows, is not here: it has to be sent
///            in full now and then.
template <class Scalar>
class RandMcm final : public Algorithm<Scalar> {
 public:
  explicit RandMcm(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  /// w at the hub, xhat_i at a worker.
  const Vector<Scalar>& model() const override { return is_hub_ ? w_ : x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  void tell(Iteration<Scalar>& it);
  CodecStatus take(std::span<const std::byte> omega);

  bool is_hub_;
  Scalar down_memory_step_;   // alpha_dwn
  Vector<Scalar> x_;          // xhat_i
  Vector<Scalar> reference_;  // H_i
  DifferenceUplink<Scalar> uplink_;
  std::unique_ptr<Compressor<Scalar>> down_compressor_;
  Vector<Scalar> difference_;  // g_i - h_i; w - H_i while it is encoded

  // Of the hub.
  Vector<Scalar> w_;
  Vector<Scalar> estimate_;  // ghat
  struct Reference {
    PeerId worker;
    std::string name;  // "reference of 3", for visitors
    Vector<Scalar> vector;
  };
  Vector<Scalar>& reference_of(PeerId worker);
  std::vector<Reference> references_;  // H_i of the workers, ascending
  std::vector<PacketRef> messages_;    // Omega_i of one `tell`
};

MethodInfo rand_mcm_info();

}  // namespace hearsay

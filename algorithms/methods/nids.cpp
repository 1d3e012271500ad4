#include "algorithms/methods/nids.hpp"

#include "algorithms/methods/parts/full_mixing.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
Task Nids<Scalar>::iterate(Iteration<Scalar>& it) {
  // gradient: g_i = grad F_i(x_i; xi_i)
  const Vector<Scalar>& gradient = co_await it.gradient(x_);

  // step: psi_i' = x_i - eta g_i;  correct: phi_i = psi_i' + x_i - psi_i
  corrected_ = x_ - stepped_;
  stepped_ = x_ - it.step_size() * gradient;
  corrected_ += stepped_;

  // mix: x_i <- phi_i + (1/2) sum_j w_ij (phi_j - phi_i), but not in the first iteration
  const std::span<const PacketRef> packets = co_await it.exchange(it.lent_packet(corrected_));
  x_ = corrected_;
  if (it.number() > 1) it.report(add_differences(it.mixing(), packets, corrected_, 0.5, x_));
}

template <class Scalar>
void Nids<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("stepped", stepped_);
  visitor.scratch("corrected", corrected_);
}

template <class Scalar>
Traffic Nids<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return gossip_traffic(rows.at(number - 1), view(x_).size_bytes());
}

MethodInfo nids_info() {
  return {
      .name = "nids",
      .summary =
          "gossip without the bias of heterogeneous data; the step size does not depend on the network",
      .equation = "x_i <- sum_j (I + W)_ij / 2 (psi_j' + x_j - psi_j), psi_j' = x_j - eta g_j",
      .bytes = "deg (4d + 64)",
      .source = "Li, Shi, Yan 2019, arXiv:1704.07807, Algorithm 1",
      .compressor = CompressorNeed::none,
      .membership = Membership::reinitialise,
      .needs_symmetric_mixing = true,
      .permits_negative_weights = true,
      .trials = {.with = {{.because = "as d2, with the step size of one machine, on any weights"}}},
      .manual = {.iteration = "phi_i = psi_i' + x_i - psi_i, psi_i' = x_i - eta g_i; x_i <- (phi_i + sum_j "
                              "w_ij phi_j) / 2, the first time x_i <- phi_i",
                 .memory = "4",
                 .needs = "W symmetric"},
      .make = factory<Nids>()};
}

}  // namespace hearsay

#include "algorithms/methods/d2.hpp"

#include "algorithms/methods/parts/full_mixing.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
D2<Scalar>::D2(const MethodInput<Scalar>& input)
    : x_(input.initial), stepped_(input.initial), corrected_(input.initial.size()) {}

template <class Scalar>
Task D2<Scalar>::iterate(Iteration<Scalar>& it) {
  // gradient: g_i = grad F_i(x_i; xi_i)
  const Vector<Scalar>& gradient = co_await it.gradient(x_);

  // step: psi_i' = x_i - eta g_i;  correct: phi_i = psi_i' + x_i - psi_i
  corrected_ = x_ - stepped_;
  stepped_ = x_ - it.step_size() * gradient;
  corrected_ += stepped_;

  // mix: x_i <- phi_i + sum_j w_ij (phi_j - phi_i)
  const PacketRef packet = it.lent_packet(corrected_);
  const std::span<const PacketRef> packets = co_await it.exchange(packet);
  it.report(mix_full(it.mixing(), packets, corrected_, x_));
}

template <class Scalar>
void D2<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("stepped", stepped_);
  visitor.scratch("corrected", corrected_);
}

template <class Scalar>
Traffic D2<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return gossip_traffic(rows.at(number - 1), view(x_).size_bytes());
}

MethodInfo d2_info() {
  return {
      .name = "d2",
      .aliases = {"exact-diffusion"},
      .summary = "exact diffusion: gossip without the bias of heterogeneous data",
      .equation = "x_i <- sum_j w_ij (psi_j' + x_j - psi_j), psi_j' = x_j - eta g_j",
      .bytes = "deg (4d + 64)",
      .source = "Tang et al. 2018, arXiv:1803.07068, Algorithm 1",
      .compressor = CompressorNeed::none,
      .membership = Membership::reinitialise,
      .needs_symmetric_mixing = true,
      .permits_negative_weights = true,
      .smallest_eigenvalue_above = -1.0 / 3.0,
      .trials = {.with = {{.because = "no bias where peers have different data", .weights = "lazy"}}},
      .manual = {.iteration = "phi_i = psi_i' + x_i - psi_i, psi_i' = x_i - eta g_i; x_i <- sum_j w_ij phi_j",
                 .memory = "4",
                 .needs = "W symmetric, smallest eigenvalue above -1/3 (`weights = \"lazy\"` always is)",
                 .related = "exact diffusion: Yuan et al. 2019"},
      .make = factory<D2>()};
}

}  // namespace hearsay

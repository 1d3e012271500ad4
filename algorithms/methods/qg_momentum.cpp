#include "algorithms/methods/qg_momentum.hpp"

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
QgMomentum<Scalar>::QgMomentum(const MethodInput<Scalar>& input)
    : momentum_(static_cast<Scalar>(input.options[option::momentum])),
      x_(input.initial),
      memory_(Vector<Scalar>::Zero(input.initial.size())),
      direction_(input.initial.size()),
      mixed_(input.initial.size()) {}

template <class Scalar>
Task QgMomentum<Scalar>::iterate(Iteration<Scalar>& it) {
  constexpr auto kept = static_cast<Scalar>(0.9);  // mu

  // gradient: g_i = grad F_i(x_i; xi_i)
  const Vector<Scalar>& gradient = co_await it.gradient(x_);

  // momentum: l_i = beta m_i + g_i;  step: h_i = x_i - eta (g_i + beta l_i)
  direction_ = gradient + momentum_ * (momentum_ * memory_ + gradient);
  x_ -= it.step_size() * direction_;

  // mix: x_i' = sum_j w_ij h_j
  const Slot slot = it.post(it.lent_packet(x_));
  mixing_.begin_mixing(it, slot, x_, 1.0, mixed_);
  const std::span<const PacketRef> packets = co_await it.collect(slot);
  it.report(mixing_.finish(it.mixing(), packets));

  // remember: m_i <- mu m_i + (1 - mu) (x_i - x_i') / eta;  x_i <- x_i'
  memory_ = kept * memory_ + (1 - kept) * (direction_ + (x_ - mixed_) / it.step_size());
  x_.swap(mixed_);
}

template <class Scalar>
void QgMomentum<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("momentum", memory_);
  visitor.scratch("direction", direction_);
  visitor.scratch("mixed", mixed_);
}

template <class Scalar>
Traffic QgMomentum<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return gossip_traffic(rows.at(number - 1), view(x_).size_bytes());
}

MethodInfo qg_momentum_info() {
  return {
      .name = "qg-momentum",
      .summary = "gossip with quasi-global momentum: it remembers how the mixed model moved",
      .equation =
          "x_i' = sum_j w_ij (x_j - eta (g_j + beta (beta m_j + g_j))); m_i <- 0.9 m_i + 0.1 (x_i - "
          "x_i')/eta",
      .bytes = "deg (4d + 64)",
      .source = "Lin et al. 2021, arXiv:2102.04761, Algorithm 1 (QG-DSGDm-N)",
      .compressor = CompressorNeed::none,
      .membership = Membership::exact,
      .may_be_joined = true,
      .permits_negative_weights = true,
      .permits_time_varying = true,
      .smallest_eigenvalue_above = -0.9,
      .options = {{option::momentum, 0.9}},
      .divides_by_step = [](const MethodOptions&) { return std::string("qg-momentum"); },
      .trials = {.with = {{.because = "momentum: longer steps where curvatures differ", .iterations = 0.5}}},
      .manual = {.memory = "5", .needs = "W doubly stochastic, smallest eigenvalue above -0.9"},
      .make = factory<QgMomentum>()};
}

}  // namespace hearsay

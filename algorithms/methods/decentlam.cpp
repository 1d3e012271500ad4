#include "algorithms/methods/decentlam.hpp"

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
DecentLam<Scalar>::DecentLam(const MethodInput<Scalar>& input)
    : momentum_(static_cast<Scalar>(input.options[option::momentum])),
      x_(input.initial),
      memory_(Vector<Scalar>::Zero(input.initial.size())),
      stepped_(input.initial.size()),
      mixed_(input.initial.size()) {}

template <class Scalar>
Task DecentLam<Scalar>::iterate(Iteration<Scalar>& it) {
  // gradient: g_i = grad F_i(x_i; xi_i)
  const Vector<Scalar>& gradient = co_await it.gradient(x_);

  // mix: gt_i = g_i - sum_j w_ij ((x_j - eta g_j) - (x_i - eta g_i)) / eta
  stepped_ = x_ - it.step_size() * gradient;
  const Slot slot = it.post(it.lent_packet(stepped_));
  mixing_.begin_mixing(it, slot, stepped_, 1.0, mixed_);
  const std::span<const PacketRef> packets = co_await it.collect(slot);
  it.report(mixing_.finish(it.mixing(), packets));

  // momentum: m_i <- beta m_i + gt_i
  memory_ = momentum_ * memory_ + (gradient + (stepped_ - mixed_) / it.step_size());

  // step: x_i <- x_i - eta m_i
  x_ -= it.step_size() * memory_;
}

template <class Scalar>
void DecentLam<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("momentum", memory_);
  visitor.scratch("stepped", stepped_);
  visitor.scratch("mixed", mixed_);
}

template <class Scalar>
Traffic DecentLam<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return gossip_traffic(rows.at(number - 1), view(x_).size_bytes());
}

MethodInfo decentlam_info() {
  return {.name = "decentlam",
          .summary = "gossip with momentum that does not amplify the bias of heterogeneous data",
          .equation = "m_i <- beta m_i + (x_i - sum_j w_ij (x_j - eta g_j))/eta; x_i <- x_i - eta m_i",
          .bytes = "deg (4d + 64)",
          .source = "Yuan et al. 2021, arXiv:2104.11981, Algorithm 2",
          .compressor = CompressorNeed::none,
          .membership = Membership::exact,
          .may_be_joined = true,
          .needs_symmetric_mixing = true,
          .permits_negative_weights = true,
          .smallest_eigenvalue_above = 0.0,
          .options = {{option::momentum, 0.9}},
          .divides_by_step = [](const MethodOptions&) { return std::string("decentlam"); },
          .trials = {.with = {{.because = "momentum that does not amplify the bias of different data",
                               .iterations = 0.5}}},
          .manual = {.memory = "5", .needs = "W symmetric, no eigenvalue below 0"},
          .make = factory<DecentLam>()};
}

}  // namespace hearsay

#include "algorithms/methods/dspg.hpp"

#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
Dspg<Scalar>::Dspg(const MethodInput<Scalar>& input)
    : regularizer_(input.regularizer),
      x_(input.initial),
      step_(input.initial.size()),
      mixed_(input.initial.size()) {}

template <class Scalar>
Task Dspg<Scalar>::iterate(Iteration<Scalar>& it) {
  // gradient: g_i = grad f_i(x_i; xi_i)
  const Vector<Scalar>& gradient = co_await it.gradient(x_);

  // step: q_i = x_i - eta_t g_i
  step_ = x_ - it.step_size() * gradient;

  // mix: q_i <- sum_j w_ij q_j
  const Slot slot = it.post(it.lent_packet(step_));
  mixing_.begin_mixing(it, slot, step_, 1.0, mixed_);
  const std::span<const PacketRef> packets = co_await it.collect(slot);
  it.report(mixing_.finish(it.mixing(), packets));

  // prox: x_i <- prox_{eta_t h}(q_i)
  x_.swap(mixed_);
  regularizer_->prox(it.step_size(), x_);
}

template <class Scalar>
void Dspg<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.scratch("step", step_);
  visitor.scratch("mixed", mixed_);
}

template <class Scalar>
Traffic Dspg<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return gossip_traffic(rows.at(number - 1), view(x_).size_bytes());
}

MethodInfo dspg_info() {
  return {.name = "dspg",
          .summary = "decentralized stochastic proximal gradient: gossip, then the proximal map of h",
          .equation = "x_i <- prox_{eta h}(sum_j w_ij (x_j - eta g_j))",
          .bytes = "deg (4d + 64)",
          .source = "Li et al. 2021, arXiv:2112.10389 (reconstruction)",
          .compressor = CompressorNeed::none,
          .membership = Membership::exact,
          .may_be_joined = true,
          .permits_negative_weights = true,
          .permits_time_varying = true,
          .composite = true,
          .trials = {.with = {{.because = "for composite objectives"}}},
          .manual = {.memory = "4", .needs = "W doubly stochastic; a falling step size"},
          .make = factory<Dspg>()};
}

}  // namespace hearsay

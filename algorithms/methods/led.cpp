#include "algorithms/methods/led.hpp"

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
Task Led<Scalar>::iterate(Iteration<Scalar>& it) {
  // inner: H times: g_i = grad F_i(x_i; xi_i);  x_i <- x_i - eta g_i - beta l_i
  for (std::uint64_t step = 0; step < local_steps_; ++step) {
    if (step > 0) it.next_minibatch();
    const Vector<Scalar>& gradient = co_await it.gradient(x_);
    x_ -= it.step_size() * gradient + static_cast<Scalar>(dual_step_) * dual_;
  }

  // exchange: send x_i to every neighbor
  const Slot slot = it.post(it.lent_packet(x_));
  mixing_.begin_pull(it, slot, x_, differences_);
  const std::span<const PacketRef> packets = co_await it.collect(slot);
  it.report(mixing_.finish(it.mixing(), packets));

  // dual: l_i <- l_i - sum_j w_ij (x_j - x_i);   mix: x_i <- x_i + sum_j w_ij (x_j - x_i)
  dual_ -= differences_;
  x_ += differences_;
}

template <class Scalar>
void Led<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("dual", dual_);
  visitor.scratch("differences", differences_);
}

template <class Scalar>
Traffic Led<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return gossip_traffic(rows.at(number - 1), view(x_).size_bytes());
}

MethodInfo led_info() {
  return {.name = "led",
          .summary = "local exact diffusion: local steps without bias, one message a round",
          .equation =
              "H times x_i <- x_i - eta g_i - beta l_i; l_i <- l_i + x_i - sum_j w_ij x_j; x_i <- sum_j "
              "w_ij x_j",
          .bytes = "deg (4d + 64)",
          .source = "Alghunaim 2024, arXiv:2302.00620",
          .compressor = CompressorNeed::none,
          .membership = Membership::reinitialise,
          .needs_symmetric_mixing = true,
          .permits_negative_weights = true,
          .smallest_eigenvalue_above = 0.0,
          .options = {{option::consensus_step, 0.2}, {option::local_steps, 5}},
          .trials = {.with = {{.because = "as k-gt, in one message of half the size", .iterations = 0.4}}},
          .manual = {.memory = "4", .needs = "W symmetric, no eigenvalue below 0"},
          .make = factory<Led>()};
}

}  // namespace hearsay

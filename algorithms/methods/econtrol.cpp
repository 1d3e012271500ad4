#include "algorithms/methods/econtrol.hpp"

#include <utility>

#include "algorithms/methods/parts/downlink.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

namespace option {
const NumberOption control("control", {0.0, 1.0},
                           "kappa: the share of the error owed that a message makes up for");
}  // namespace option

template <class Scalar>
Econtrol<Scalar>::Econtrol(const MethodInput<Scalar>& input)
    : is_hub_(input.self == hub_id),
      control_(static_cast<Scalar>(input.options[option::control])),
      x_(input.initial),
      uplink_(input, 1.0, HubKeeps::mean),
      error_(input.initial.size()),
      difference_(input.initial.size()) {
  if (is_hub_) sum_.resize(x_.size());
}

template <class Scalar>
Task Econtrol<Scalar>::iterate(Iteration<Scalar>& it) {
  // down: hub -> i: x
  if (is_hub_) {
    tell_model(it, x_);
  } else {
    const std::span<const PacketRef> packets = co_await it.collect(0);
    if (!hear_model(it, packets, x_)) co_return;
  }

  PacketRef answer;
  if (it.mixing().trains) {
    // up: q_i = C(g_i(x) - h_i + kappa e_i);  h_i <- h_i + q_i;  e_i <- e_i + g_i(x) - h_i, the new h_i
    const Vector<Scalar>& gradient = co_await it.gradient(x_);
    Vector<Scalar>& error = error_.in(it);
    uplink_.subtract_memory(gradient + control_ * error, difference_);
    error += difference_ - control_ * error;  // e_i + g_i - the old h_i
    answer = uplink_.answer(it, difference_);
    it.report(uplink_.compressor().accumulate(answer->bytes(), -1, view(error)));
  }
  if (!is_hub_) {
    it.post(answer);
    co_return;
  }

  // step: hbar <- hbar + (1/n) sum_{i in S} q_i;  x <- x - eta hbar
  const std::span<const PacketRef> packets = co_await it.collect(0);
  uplink_.gather(it, answer, packets, sum_);
  x_ -= it.step_size() * uplink_.mean_memory(sum_);
}

template <class Scalar>
void Econtrol<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  uplink_.visit(visitor);
  error_.visit(visitor);
  visitor.scratch("difference", difference_);
  if (is_hub_) visitor.scratch("sum", sum_);
}

template <class Scalar>
Traffic Econtrol<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return is_hub_ ? model_traffic(number, rows, view(x_).size_bytes())
                 : uplink_.traffic(number, rows, x_.size(), {});
}

MethodInfo econtrol_info() {
  return {.name = "econtrol",
          .summary = "a hub: ef21, with a share of the error still owed in every message",
          .equation = "h_i <- h_i + C(g_i - h_i + k e_i); e_i <- e_i + g_i - h_i; x <- x - eta mean_i h_i",
          .bytes = "hub r (4d + 64), worker |C| + 64",
          .source = "Gao, Islamov, Stich 2024, arXiv:2311.05645, Algorithm 2",
          .compressor = CompressorNeed::contracting,
          .membership = Membership::forgotten,
          .default_compressor = "topk(10%)",
          .pattern = Pattern::star,
          .permits_negative_weights = true,
          .permits_time_varying = true,
          .options = {{option::control, 0.1}},
          .manual = {.memory = "hub 7 (drop: n + 5), worker 5", .needs = "a hub and workers; C contracting"},
          .make = factory<Econtrol>()};
}

}  // namespace hearsay

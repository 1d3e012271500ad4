#include "algorithms/methods/dore.hpp"

#include "algorithms/methods/parts/memory_step.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
Dore<Scalar>::Dore(const MethodInput<Scalar>& input)
    : is_hub_(input.self == hub_id),
      damping_(static_cast<Scalar>(input.options[option::damping])),
      error_decay_(static_cast<Scalar>(input.options[option::error_decay])),
      x_(input.initial),
      uplink_(input, parse_memory_step("memory_step", input.options[option::memory_step]), HubKeeps::mean),
      down_compressor_(make_compressor<Scalar>(input.options[option::down_compressor], input.segments)),
      downlink_(input),
      difference_(input.initial.size()) {
  if (!uplink_.place().is_worker()) estimate_.resize(x_.size());
  if (is_hub_) error_.setZero(x_.size());
}

template <class Scalar>
Task Dore<Scalar>::iterate(Iteration<Scalar>& it) {
  // down: c of every round that i missed;  xhat <- xhat + beta c, one by one
  const auto step = [&](std::span<const std::byte> c, std::uint64_t) {
    return down_compressor_->accumulate(c, damping_, view(x_));
  };
  const bool heard = co_await downlink_.share(it, x_, step);
  if (!heard) co_return;

  PacketRef answer;
  if (it.mixing().trains) {
    // gradient: g_i(xhat)
    const Vector<Scalar>& gradient = co_await it.gradient(x_);

    // up: q_i = C(g_i - h_i);  h_i <- h_i + alpha q_i
    uplink_.subtract_memory(gradient, difference_);
    answer = uplink_.answer(it, difference_);
  }

  // group: Q_j = C(s_j - H_j);  H_j <- H_j + alpha Q_j
  // gather: ghat = hbar + (1/r) sum_{S} q_i;  hbar <- hbar + (alpha/n) sum_{S} q_i
  co_await uplink_.gather(it, answer, estimate_);
  if (!is_hub_) co_return;

  // step: p = -eta ghat + a e;  c = C_dwn(p);  e <- p - c;  xhat <- xhat + beta c
  error_ = error_decay_ * error_ - it.step_size() * estimate_;
  const PacketRef c = encoded_packet(it, *down_compressor_, error_, Purpose::downlink);
  it.report(down_compressor_->accumulate(c->bytes(), -1, view(error_)));
  it.report(step(c->bytes(), it.number()));
  downlink_.say(c->bytes());
}

template <class Scalar>
void Dore<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  uplink_.visit(visitor);
  downlink_.visit(visitor);
  visitor.scratch("difference", difference_);
  if (is_hub_) visitor.state("error", error_);
  if (estimate_.size() != 0) visitor.scratch("estimate", estimate_);
}

template <class Scalar>
Traffic Dore<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  const Traits packet = down_compressor_->traits(static_cast<std::size_t>(x_.size()));
  const Traffic down = downlink_.traffic(number, rows, packet, view(x_).size_bytes());
  return uplink_.traffic(number, rows, x_.size(), down);
}

MethodInfo dore_info() {
  return {.name = "dore",
          .summary = "a hub: gradients as differences to memories, and the hub's step with error feedback",
          .equation = "p = -eta (hbar + (1/r) sum_S q_i) + a e; x <- x + b C_dwn(p); e <- p - C_dwn(p)",
          .bytes = "hub r (|C_dwn| + 64), worker |C| + 64",
          .source = "Liu et al. 2020, arXiv:1910.07561, Algorithm 1",
          .compressor = CompressorNeed::unbiased,
          .down_compressor = CompressorNeed::unbiased,
          .membership = Membership::forgotten,
          .default_compressor = "dither(linf, levels=7, bucket=512)",
          .pattern = Pattern::star,
          .permits_negative_weights = true,
          .permits_time_varying = true,
          .permits_tree = true,
          .options = {{option::damping, 1.0},
                      {option::error_decay, 1.0},
                      {option::down_compressor, "dither(linf, levels=7, bucket=512)"},
                      {option::memory_step, "auto"}},
          .trials = {.none_because = "as artemis, with two more constants to choose"},
          .manual = {.iteration = "q_i = C(g_i - h_i); h_i <- h_i + alpha q_i; p = -eta (hbar + (1/r) sum_S "
                                  "q_i) + a e; x <- x + beta C_dwn(p); e <- p - C_dwn(p)",
                     .bytes_note = "(*)",
                     .memory = "hub 7 (drop: n + 5), worker 4",
                     .needs = "a hub and workers; both compressors unbiased"},
          .make = factory<Dore>()};
}

}  // namespace hearsay

#include "algorithms/methods/artemis.hpp"

#include "algorithms/methods/parts/memory_step.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

namespace option {
const TextOption memories("memories", {{"pp1", "pp2"}},
                          "whether the hub keeps each worker's memory (`pp1`), or their mean, which stands "
                          "for those that sit out (`pp2`)");
}  // namespace option

template <class Scalar>
Artemis<Scalar>::Artemis(const MethodInput<Scalar>& input)
    : is_hub_(input.self == hub_id),
      x_(input.initial),
      uplink_(input, parse_memory_step("memory_step", input.options[option::memory_step]),
              input.options.find(option::memories) == "pp1" ? HubKeeps::each : HubKeeps::mean),
      down_compressor_(make_compressor<Scalar>(input.options.find(option::down_compressor).value_or("none"),
                                               input.segments)),
      downlink_(input),
      difference_(input.initial.size()) {
  if (!uplink_.place().is_worker()) estimate_.resize(x_.size());
}

template <class Scalar>
Task Artemis<Scalar>::iterate(Iteration<Scalar>& it) {
  // down: Omega of every round that i missed;  x <- x - eta Omega, one by one
  const auto step = [&](std::span<const std::byte> omega, std::uint64_t number) {
    return down_compressor_->accumulate(omega, -it.step_size_of(number), view(x_));
  };
  const bool heard = co_await downlink_.share(it, x_, step);
  if (!heard) co_return;

  PacketRef answer;
  if (it.mixing().trains) {
    // gradient: g_i(x)
    const Vector<Scalar>& gradient = co_await it.gradient(x_);

    // up: q_i = C(g_i - h_i);  h_i <- h_i + alpha q_i
    uplink_.subtract_memory(gradient, difference_);
    answer = uplink_.answer(it, difference_);
  }

  // group: Q_j = C(s_j - H_j);  H_j <- H_j + alpha Q_j
  // gather: ghat = hbar + (1/r) sum_{S} q_i;  hbar <- hbar + (alpha/n) sum_{S} q_i
  co_await uplink_.gather(it, answer, estimate_);
  if (!is_hub_) co_return;

  // step: Omega = C_dwn(ghat);  x <- x - eta Omega
  const PacketRef omega = encoded_packet(it, *down_compressor_, estimate_, Purpose::downlink);
  it.report(step(omega->bytes(), it.number()));
  downlink_.say(omega->bytes());
}

template <class Scalar>
void Artemis<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  uplink_.visit(visitor);
  downlink_.visit(visitor);
  visitor.scratch("difference", difference_);
  if (estimate_.size() != 0) visitor.scratch("estimate", estimate_);
}

template <class Scalar>
Traffic Artemis<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  const Traits packet = down_compressor_->traits(static_cast<std::size_t>(x_.size()));
  const Traffic down = downlink_.traffic(number, rows, packet, view(x_).size_bytes());
  return uplink_.traffic(number, rows, x_.size(), down);
}

MethodInfo artemis_info() {
  return {.name = "artemis",
          .summary = "a hub: compressed gradients both ways, the workers' as differences to memories",
          .equation = "q_i = C(g_i - h_i); h_i <- h_i + a q_i; x <- x - eta C_dwn(hbar + (1/r) sum_S q_i)",
          .bytes = "hub r (|C_dwn| + 64), worker |C| + 64",
          .source = "Philippenko, Dieuleveut 2020, arXiv:2006.14591, Algorithm 1",
          .compressor = CompressorNeed::unbiased,
          .down_compressor = CompressorNeed::unbiased,
          .membership = Membership::forgotten,
          .default_compressor = "dither(linf, levels=7, bucket=512)",
          .pattern = Pattern::star,
          .permits_negative_weights = true,
          .permits_time_varying = true,
          .permits_tree = true,
          .options = {{option::memories, "pp2"},
                      {option::down_compressor, "dither(linf, levels=7, bucket=512)"},
                      {option::memory_step, "auto"}},
          .trials = {.with = {{.compressor = "dither(linf, bits=4, bucket=512)",
                               .because = "steps of one machine through a hub, in an eighth of the bytes",
                               .options = {{option::down_compressor, "dither(linf, bits=4, bucket=512)"}}}}},
          .manual = {.bytes_note = "(*)",
                     .memory = "hub 6 (pp1, drop: n + 4), worker 4",
                     .needs = "a hub and workers; both compressors unbiased"},
          .make = factory<Artemis>()};
}

MethodInfo diana_info() {
  MethodInfo info = artemis_info();
  info.name = "diana";
  info.summary = "a hub: compressed gradients, as differences to memories; the answer in full precision";
  info.equation = "q_i = C(g_i - h_i); h_i <- h_i + a q_i; x <- x - eta (hbar + (1/r) sum_S q_i)";
  info.bytes = "hub r (4d + 64), worker |C| + 64";
  info.source = "Mishchenko et al. 2019, arXiv:1901.09269, Algorithm 1";
  info.options.clear(option::down_compressor);
  info.manual.needs = "a hub and workers; C unbiased";
  info.trials = {.none_because = "artemis, whose answer from the hub is compressed, too, is tried"};
  return info;
}

}  // namespace hearsay

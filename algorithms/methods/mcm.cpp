#include "algorithms/methods/mcm.hpp"

#include "algorithms/methods/parts/memory_step.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar, template <class> class Downlink>
Mcm<Scalar, Downlink>::Mcm(const MethodInput<Scalar>& input)
    : is_hub_(input.self == hub_id),
      x_(input.initial),
      downlink_(input, input.options[option::down_compressor],
                parse_memory_step("down_memory_step", input.options[option::down_memory_step])),
      uplink_(input, parse_memory_step("memory_step", input.options[option::memory_step]), HubKeeps::mean),
      difference_(input.initial.size()) {
  if (!uplink_.place().is_worker()) estimate_.resize(x_.size());
  if (is_hub_) w_ = input.initial;
}

template <class Scalar, template <class> class Downlink>
Task Mcm<Scalar, Downlink>::iterate(Iteration<Scalar>& it) {
  // down: Omega = C_dwn(w - H);  xhat = H + Omega;  H <- H + alpha_dwn Omega
  const bool heard = co_await downlink_.share(it, w_, x_, difference_);
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
  const Scalar answers = co_await uplink_.gather(it, answer, estimate_);
  if (answers == 0) co_return;

  // step: w <- w - eta ghat
  w_ -= it.step_size() * estimate_;
}

template <class Scalar, template <class> class Downlink>
void Mcm<Scalar, Downlink>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  downlink_.visit_reference(visitor);
  uplink_.visit(visitor);
  downlink_.visit_backlog(visitor);
  visitor.scratch("difference", difference_);
  if (is_hub_) visitor.state("preserved model", w_);
  if (estimate_.size() != 0) visitor.scratch("estimate", estimate_);
}

template <class Scalar, template <class> class Downlink>
Traffic Mcm<Scalar, Downlink>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return uplink_.traffic(number, rows, x_.size(), downlink_.traffic(number, rows));
}

namespace {

template <class Scalar>
using CommonMcm = Mcm<Scalar, DifferenceDownlink>;
template <class Scalar>
using RandMcm = Mcm<Scalar, SeparateDownlink>;

}  // namespace

MethodInfo mcm_info() {
  return {.name = "mcm",
          .summary = "a hub: compression both ways, while the hub's own model is never compressed",
          .equation = "g_i at H + C_dwn(w - H); w <- w - eta (hbar + (1/r) sum_S C(g_i - h_i))",
          .bytes = "hub r (|C_dwn| + 64), worker |C| + 64",
          .source = "Philippenko, Dieuleveut 2021, arXiv:2102.12528, Algorithm 1",
          .compressor = CompressorNeed::unbiased,
          .down_compressor = CompressorNeed::unbiased,
          .membership = Membership::forgotten,
          .default_compressor = "dither(linf, levels=7, bucket=512)",
          .pattern = Pattern::star,
          .permits_negative_weights = true,
          .permits_time_varying = true,
          .permits_tree = true,
          .options = {{option::down_compressor, "dither(linf, levels=7, bucket=512)"},
                      {option::memory_step, "auto"},
                      {option::down_memory_step, "auto"}},
          .trials = {.none_because = "as artemis, and a little nearer to the optimum in the end"},
          .manual = {.iteration = "xhat = H + Omega, Omega = C_dwn(w - H); H <- H + alpha_dwn Omega; q_i = "
                                  "C(g_i(xhat) - h_i); h_i <- h_i + alpha q_i; w <- w - eta (hbar + (1/r) "
                                  "sum_S q_i)",
                     .bytes_note = "(*)",
                     .memory = "hub 8 (drop: n + 6), worker 5",
                     .needs = "a hub and workers; both compressors unbiased"},
          .make = factory<CommonMcm>()};
}

MethodInfo rand_mcm_info() {
  MethodInfo info = mcm_info();
  info.name = "rand-mcm";
  info.summary = "a hub: mcm with independent compression for each worker, so that the errors average out";
  info.equation = "g_i at H_i + C_dwn(w - H_i); w <- w - eta (hbar + (1/r) sum_S C(g_i - h_i))";
  info.source = "Philippenko, Dieuleveut 2021, arXiv:2102.12528, Algorithm 1 (Rand-MCM)";
  info.permits_tree = false;  // every worker hears a packet of its own
  info.manual.iteration = "";
  info.manual.bytes_note = "";
  info.manual.memory = "hub n + 7 (drop: 2 n + 5), worker 5";
  info.make = factory<RandMcm>();
  info.trials = {.none_because = "as mcm, and its hub encodes once for each worker"};
  return info;
}

}  // namespace hearsay

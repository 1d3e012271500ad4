#include "algorithms/methods/mcm.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/methods/parts/memory_step.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
Mcm<Scalar>::Mcm(const MethodInput<Scalar>& input)
    : is_hub_(input.self == hub_id),
      x_(input.initial),
      downlink_(input, input.options[option::down_compressor],
                parse_memory_step("down_memory_step", input.options[option::down_memory_step])),
      uplink_(input, parse_memory_step("memory_step", input.options[option::memory_step]), HubKeeps::mean),
      difference_(input.initial.size()) {
  if (!uplink_.place().is_worker()) estimate_.resize(x_.size());
  if (is_hub_) w_ = input.initial;
}

template <class Scalar>
Task Mcm<Scalar>::iterate(Iteration<Scalar>& it) {
  // down: Omega = C_dwn(w - H);  xhat = H + Omega;  H <- H + alpha_dwn Omega
  const bool heard = co_await downlink_.share(it, w_, x_);
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

template <class Scalar>
void Mcm<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  downlink_.visit_reference(visitor);
  uplink_.visit(visitor);
  downlink_.visit_backlog(visitor);
  visitor.scratch("difference", difference_);
  if (is_hub_) visitor.state("preserved model", w_);
  if (estimate_.size() != 0) visitor.scratch("estimate", estimate_);
}

template <class Scalar>
Traffic Mcm<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return uplink_.traffic(number, rows, x_.size(), downlink_.traffic(number, rows));
}

// Rand-MCM.

template <class Scalar>
RandMcm<Scalar>::RandMcm(const MethodInput<Scalar>& input)
    : is_hub_(input.self == hub_id),
      down_memory_step_(static_cast<Scalar>(
          parse_memory_step("down_memory_step", input.options[option::down_memory_step]))),
      x_(input.initial),
      reference_(input.initial),
      uplink_(input, parse_memory_step("memory_step", input.options[option::memory_step]), HubKeeps::mean),
      down_compressor_(make_compressor<Scalar>(input.options[option::down_compressor], input.segments)),
      difference_(input.initial.size()) {
  if (!is_hub_) return;
  for (const PeerId worker : input.neighbors)
    references_.push_back({worker, "reference of " + std::to_string(worker), input.initial});
  w_ = input.initial;
  estimate_.resize(w_.size());
}

template <class Scalar>
Vector<Scalar>& RandMcm<Scalar>::reference_of(PeerId worker) {
  return std::ranges::lower_bound(references_, worker, {}, &Reference::worker)->vector;
}

/// xhat_i = H_i + Omega_i;  H_i <- H_i + alpha_dwn Omega_i, at the worker
template <class Scalar>
CodecStatus RandMcm<Scalar>::take(std::span<const std::byte> omega) {
  x_ = reference_;
  const CodecStatus status = down_compressor_->accumulate(omega, 1, view(x_));
  const CodecStatus followed = down_compressor_->accumulate(omega, down_memory_step_, view(reference_));
  return status == CodecStatus::ok ? followed : status;
}

/// Omega_i = C_dwn(w - H_i), drawn anew for each i, in ascending id;  H_i <- H_i + alpha_dwn Omega_i
template <class Scalar>
void RandMcm<Scalar>::tell(Iteration<Scalar>& it) {
  RandomStream random = it.random(Purpose::downlink);
  const auto encoded = [&](const Vector<Scalar>& reference) {
    difference_ = w_ - reference;
    PacketBuffer omega = it.new_packet();
    it.report(down_compressor_->encode({view(std::as_const(difference_)), random}, omega));
    return std::move(omega).seal();
  };
  if (it.mixing().trains) it.report(take(encoded(reference_)->bytes()));
  for (const PeerId worker : it.mixing().heard_by) {
    Vector<Scalar>& reference = reference_of(worker);
    messages_.push_back(encoded(reference));
    it.report(down_compressor_->accumulate(messages_.back()->bytes(), down_memory_step_, view(reference)));
  }
  it.post(messages_);
  messages_.clear();
}

template <class Scalar>
Task RandMcm<Scalar>::iterate(Iteration<Scalar>& it) {
  // down: Omega_i = C_dwn(w - H_i);  xhat_i = H_i + Omega_i;  H_i <- H_i + alpha_dwn Omega_i
  if (is_hub_) {
    tell(it);
  } else {
    const std::span<const PacketRef> packets = co_await it.collect(0);
    if (packets.empty() || !packets.front()) co_return;
    it.report(take(packets.front()->bytes()));
  }

  PacketRef answer;
  if (it.mixing().trains) {
    // gradient: g_i(xhat_i)
    const Vector<Scalar>& gradient = co_await it.gradient(x_);

    // up: q_i = C(g_i - h_i);  h_i <- h_i + alpha q_i
    uplink_.subtract_memory(gradient, difference_);
    answer = uplink_.answer(it, difference_);
  }

  // gather: ghat = hbar + (1/r) sum_{S} q_i;  hbar <- hbar + (alpha/n) sum_{S} q_i
  const Scalar answers = co_await uplink_.gather(it, answer, estimate_);
  if (answers == 0) co_return;

  // step: w <- w - eta ghat
  w_ -= it.step_size() * estimate_;
}

template <class Scalar>
void RandMcm<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("reference", reference_);
  for (Reference& reference : references_) visitor.state(reference.name, reference.vector);
  uplink_.visit(visitor);
  visitor.scratch("difference", difference_);
  if (!is_hub_) return;
  visitor.state("preserved model", w_);
  visitor.scratch("estimate", estimate_);
}

template <class Scalar>
Traffic RandMcm<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return is_hub_ ? compressed_traffic(rows.at(number - 1), *down_compressor_, x_.size())
                 : uplink_.traffic(number, rows, x_.size(), {});
}

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
          .manual = {.iteration = "xhat = H + Omega, Omega = C_dwn(w - H); H <- H + alpha_dwn Omega; q_i = "
                                  "C(g_i(xhat) - h_i); h_i <- h_i + alpha q_i; w <- w - eta (hbar + (1/r) "
                                  "sum_S q_i)",
                     .bytes_note = "(*)",
                     .memory = "hub 8 (drop: n + 6), worker 5",
                     .needs = "a hub and workers; both compressors unbiased"},
          .make = factory<Mcm>()};
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
  return info;
}

}  // namespace hearsay

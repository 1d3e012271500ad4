#include "algorithms/methods/mcm.hpp"

#include "algorithms/methods/parts/memory_step.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
Mcm<Scalar>::Mcm(const MethodInput<Scalar>& input)
    : is_hub_(input.self == hub_id),
      down_memory_step_(static_cast<Scalar>(
          parse_memory_step("down_memory_step", input.options[option::down_memory_step]))),
      x_(input.initial),
      reference_(input.initial),
      uplink_(input, parse_memory_step("memory_step", input.options[option::memory_step]), HubKeeps::mean),
      down_compressor_(make_compressor<Scalar>(input.options[option::down_compressor], input.segments)),
      links_vary_(input.links_vary),
      difference_(input.initial.size()) {
  if (!uplink_.place().is_worker()) estimate_.resize(x_.size());
  if (links_vary_ && !uplink_.place().is_worker())
    backlog_.emplace(uplink_.place().below, input.initial.size());
  if (is_hub_) w_ = input.initial;
}

/// xhat = H + Omega;  H <- H + alpha_dwn Omega
template <class Scalar>
CodecStatus Mcm<Scalar>::take(std::span<const std::byte> omega) {
  x_ = reference_;
  const CodecStatus status = down_compressor_->accumulate(omega, 1, view(x_));
  const CodecStatus followed = down_compressor_->accumulate(omega, down_memory_step_, view(reference_));
  return status == CodecStatus::ok ? followed : status;
}

/// The peers below that take part have Omega, the others will be told.
template <class Scalar>
void Mcm<Scalar>::tell_apart(std::span<const std::byte> omega, std::span<const PeerId> have_it) {
  backlog_->say(omega);
  backlog_->told_apart(have_it);
}

template <class Scalar>
Task Mcm<Scalar>::iterate(Iteration<Scalar>& it) {
  TreePlace& place = uplink_.place();
  // If workers may sit out, those of the round first hear how H was moved without them.
  if (is_hub_ && links_vary_) backlog_->tell(it, reference_);
  if (!is_hub_ && links_vary_) {
    const std::span<const PacketRef> packets = co_await it.collect(0, it.number(), place.above);
    if (packets.empty() || !packets.front()) co_return;
    const auto follow = [&](std::span<const std::byte> omega, std::uint64_t) {
      return down_compressor_->accumulate(omega, down_memory_step_, view(reference_));
    };
    it.report(catch_up(packets.front()->bytes(), heard_, reference_, follow));
    if (backlog_) backlog_->tell(it, reference_, 0, place.group(it));
  }

  // down: Omega = C_dwn(w - H);  xhat = H + Omega;  H <- H + alpha_dwn Omega
  if (is_hub_) {
    difference_ = w_ - reference_;
    const PacketRef omega = encoded_packet(it, *down_compressor_, difference_, Purpose::downlink);
    it.report(take(omega->bytes()));  // before the post: what is sent is digested as it is then published
    it.post(omega);
    if (backlog_) tell_apart(omega->bytes(), it.mixing().heard_by);
  } else {
    const Slot slot = links_vary_ ? 1 : 0;
    const std::span<const PacketRef> packets = co_await it.collect(slot, it.number(), place.above);
    place.pass_on(it, slot, packets);
    if (packets.empty() || !packets.front()) co_return;
    it.report(take(packets.front()->bytes()));
    ++heard_;
    if (backlog_) tell_apart(packets.front()->bytes(), place.group(it));
  }

  PacketRef answer;
  if (it.mixing().trains) {
    // gradient: g_i(xhat)
    const Vector<Scalar>& gradient = co_await it.gradient(x_);

    // up: q_i = C(g_i - h_i);  h_i <- h_i + alpha q_i
    uplink_.subtract_memory(gradient, difference_);
    answer = uplink_.answer(it, difference_);
  }
  if (place.is_worker()) {
    it.post(answer);
    co_return;
  }

  // gather: ghat = hbar + (1/r) sum_{S} q_i;  hbar <- hbar + (alpha/n) sum_{S} q_i
  const std::span<const PacketRef> packets = co_await place.answers(it);
  const Scalar answers = uplink_.gather(it, answer, packets, estimate_);
  if (place.is_head()) {
    // group: Q_j = C(s_j - H_j);  H_j <- H_j + alpha Q_j
    it.send(0, place.above.front(), uplink_.answer_for_group(it, estimate_));
    co_return;
  }
  if (answers == 0) co_return;

  // step: w <- w - eta ghat
  w_ -= it.step_size() * estimate_;
}

template <class Scalar>
void Mcm<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  if (is_hub_)
    visitor.published("reference", reference_);
  else if (links_vary_ && uplink_.place().above.front() != hub_id)
    visitor.state("reference", reference_);  // it is the hub's of when its head last told it
  else
    visitor.replica("reference", hub_id, reference_);
  uplink_.visit(visitor);
  if (backlog_) backlog_->visit(visitor);
  if (!is_hub_ && links_vary_) visitor.numbers("packets heard", {&heard_, 1});
  visitor.scratch("difference", difference_);
  if (is_hub_) visitor.state("preserved model", w_);
  if (estimate_.size() != 0) visitor.scratch("estimate", estimate_);
}

template <class Scalar>
Traffic Mcm<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  const Traits packet = down_compressor_->traits(static_cast<std::size_t>(x_.size()));
  const TreePlace& place = uplink_.place();
  const Traffic omega = place.to_below(rows.at(number - 1), packet.bytes, !packet.data_dependent_size);
  if (!backlog_) return uplink_.traffic(number, rows, x_.size(), omega);
  const Traffic missed = BacklogTraffic{.packet_bytes = packet.bytes,
                                        .exact = !packet.data_dependent_size,
                                        .vector_bytes = view(x_).size_bytes(),
                                        .own = BacklogTraffic::Own::told_apart,
                                        .not_told = place.not_told(rows)}
                             .in(number, rows);
  return uplink_.traffic(number, rows, x_.size(),
                         {omega.messages + missed.messages, omega.payload_bytes + missed.payload_bytes,
                          omega.exact && missed.exact});
}

MethodInfo mcm_info() {
  return {.name = "mcm",
          .summary = "a hub: compressed both ways, but the hub's own model, which is preserved",
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

}  // namespace hearsay

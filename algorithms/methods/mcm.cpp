#include "algorithms/methods/mcm.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/methods/parts/memory_step.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
Mcm<Scalar>::Mcm(const MethodInput<Scalar>& input, bool draws_anew)
    : is_hub_(input.self == hub_id),
      draws_anew_(draws_anew),
      down_memory_step_(static_cast<Scalar>(
          parse_memory_step("down_memory_step", input.options[option::down_memory_step]))),
      x_(input.initial),
      reference_(input.initial),
      uplink_(input, parse_memory_step("memory_step", input.options[option::memory_step]), HubKeeps::mean),
      down_compressor_(make_compressor<Scalar>(input.options[option::down_compressor], input.segments)),
      links_vary_(input.links_vary && !draws_anew),
      difference_(input.initial.size()) {
  if (!uplink_.place().is_worker()) estimate_.resize(x_.size());
  if (links_vary_ && !uplink_.place().is_worker())
    backlog_.emplace(uplink_.place().below, input.initial.size());
  if (!is_hub_) return;
  w_ = input.initial;
  if (!draws_anew_) return;
  for (const PeerId worker : input.neighbors)
    references_.push_back({worker, "reference of " + std::to_string(worker), input.initial});
}

template <class Scalar>
Vector<Scalar>& Mcm<Scalar>::reference_of(PeerId worker) {
  return std::ranges::lower_bound(references_, worker, {}, &Reference::worker)->vector;
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

/// Omega = C_dwn(w - H)
template <class Scalar>
PacketRef Mcm<Scalar>::say(Iteration<Scalar>& it, const Vector<Scalar>& reference, RandomStream& random) {
  difference_ = w_ - reference;
  PacketBuffer omega = it.new_packet();
  it.report(down_compressor_->encode({view(std::as_const(difference_)), random}, omega));
  return std::move(omega).seal();
}

template <class Scalar>
void Mcm<Scalar>::tell_all(Iteration<Scalar>& it) {
  RandomStream random = it.random(Purpose::downlink);
  const PacketRef omega = say(it, reference_, random);
  it.report(take(omega->bytes()));  // before the post: what is sent is digested as it is then published
  it.post(omega);
  if (backlog_) tell_apart(omega->bytes(), it.mixing().heard_by);
}

/// Omega_i for each i, in ascending id;  H_i <- H_i + alpha_dwn Omega_i
template <class Scalar>
void Mcm<Scalar>::tell_each(Iteration<Scalar>& it) {
  RandomStream random = it.random(Purpose::downlink);
  if (it.mixing().trains) it.report(take(say(it, reference_, random)->bytes()));
  for (const PeerId worker : it.mixing().heard_by) {
    Vector<Scalar>& reference = reference_of(worker);
    messages_.push_back(say(it, reference, random));
    it.report(down_compressor_->accumulate(messages_.back()->bytes(), down_memory_step_, view(reference)));
  }
  it.post(messages_);
  messages_.clear();
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
    draws_anew_ ? tell_each(it) : tell_all(it);
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
  if (draws_anew_)
    visitor.state("reference", reference_);
  else if (is_hub_)
    visitor.published("reference", reference_);
  else if (links_vary_ && uplink_.place().above.front() != hub_id)
    visitor.state("reference", reference_);  // it is the hub's of when its head last told it
  else
    visitor.replica("reference", hub_id, reference_);
  for (Reference& reference : references_) visitor.state(reference.name, reference.vector);
  uplink_.visit(visitor);
  if (backlog_) backlog_->visit(visitor);
  if (!is_hub_ && links_vary_) visitor.numbers("packets heard", {&heard_, 1});
  visitor.scratch("difference", difference_);
  if (is_hub_) visitor.state("preserved model", w_);
  if (estimate_.size() != 0) visitor.scratch("estimate", estimate_);
}

template <class Scalar>
Traffic Mcm<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  if (draws_anew_)
    return is_hub_ ? compressed_traffic(rows.at(number - 1), *down_compressor_, x_.size())
                   : uplink_.traffic(number, rows, x_.size(), {});
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

MethodInfo rand_mcm_info() {
  MethodInfo info = mcm_info();
  info.name = "rand-mcm";
  info.summary = "a hub: mcm with compression drawn anew for each worker, so that the errors average out";
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

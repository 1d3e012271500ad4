#include "algorithms/methods/ecd_psgd.hpp"

#include <utility>

#include "algorithms/compression/seam/full_precision.hpp"
#include "algorithms/methods/parts/option_checks.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

namespace option {
const CountOption restart_every("restart_every", {0},
                                "iterations between restarts in full precision; 0: never");
}  // namespace option

template <class Scalar>
EcdPsgd<Scalar>::EcdPsgd(const MethodInput<Scalar>& input)
    : compressor_(make_compressor<Scalar>(input.compressor, input.segments)),
      restart_every_(input.options[option::restart_every]),
      adapts_first_(input.options[option::order] == "adapt-then-combine"),
      x_(input.initial),
      own_estimate_(input.initial),
      estimates_(replicas_kept(input), input.initial),
      sum_(replica_sum_for(input)),
      half_step_(input.initial.size()),
      extrapolated_(input.initial.size()),
      decoded_(input.initial.size()),
      local_(input),
      backlog_(backlog_for(input)) {
  if (adapts_first_) adapted_ = input.initial;
}

/// t counts from 1, and restarts at 1 after every restart.
template <class Scalar>
double EcdPsgd<Scalar>::since_restart(std::uint64_t number) const {
  const std::uint64_t before = restart_every_ == 0 ? number - 1 : (number - 1) % restart_every_;
  return static_cast<double>((backlog_ ? backlog_->said() : before) + 1);
}

template <class Scalar>
Task EcdPsgd<Scalar>::combine_then_adapt(Iteration<Scalar>& it) {
  const std::vector<WeightedNeighbor>& neighbors = it.mixing().hears;
  const double t = since_restart(it.number());

  // catch up: send to every neighbor of this round the c_i that it missed, or xt_i
  std::optional<Slot> told;
  if (backlog_) told = backlog_->tell(it, own_estimate_);

  // gradient: g_i = grad F_i(x_i; xi_i);  s_i = -eta g_i, or the sum of H local steps
  co_await local_.steps(it, x_);

  // catch up: the estimates of all c_j that were missed, each with its own t, or xt_j as it came
  if (backlog_) {
    const std::span<const PacketRef> messages = co_await it.collect(*told);
    it.report(catch_up(neighbors, messages));
  }

  // half step: x_i' = xt_i + sum_j w_ij (xt_j - xt_i) + s_i
  mix_estimates(it, half_step_);
  local_.add_to(half_step_);

  // extrapolate: z_i = x_i + (t/2) (x_i' - x_i);   exchange: send c_i = C(z_i), encoded once
  PacketRef packet = extrapolate(it, x_, t);

  // step: x_i <- x_i'
  x_ = half_step_;

  // estimates: xt_j <- xt_j + (2/t) (c_j - xt_j)
  if (backlog_) co_return;
  const Slot slot = it.post(std::exchange(packet, {}));
  co_await local_.ahead(it, x_);  // x_i is that of the next iteration already
  const std::span<const PacketRef> packets = co_await it.collect(slot);
  hear_all(it, packets, t);
}

template <class Scalar>
Task EcdPsgd<Scalar>::adapt_then_combine(Iteration<Scalar>& it) {
  const double t = since_restart(it.number());

  // gradient: y_i' = x_i;  H times: g_i = grad F_i(y_i'; xi_i);  y_i' <- y_i' - eta g_i
  co_await local_.steps(it, x_);
  half_step_ = x_;
  local_.add_to(half_step_);

  // extrapolate: z_i = y_i + (t/2) (y_i' - y_i);  y_i <- y_i'
  const PacketRef packet = extrapolate(it, adapted_, t);
  adapted_ = half_step_;

  // exchange: send c_i = C(z_i), encoded once;  xt_j <- xt_j + (2/t) (c_j - xt_j)
  if (backlog_) {
    const std::span<const PacketRef> messages = co_await it.collect(backlog_->tell(it, own_estimate_));
    it.report(catch_up(it.mixing().hears, messages));
  } else {
    const std::span<const PacketRef> packets = co_await it.exchange(packet);
    hear_all(it, packets, t);
  }

  // mix: x_i <- xt_i + sum_j w_ij (xt_j - xt_i)
  mix_estimates(it, x_);
}

/// into = xt_i + sum_j w_ij (xt_j - xt_i)
template <class Scalar>
void EcdPsgd<Scalar>::mix_estimates(Iteration<Scalar>& it, Vector<Scalar>& into) {
  into = own_estimate_;
  if (sum_)
    into += sum_->value();
  else
    estimates_.add_differences(it.mixing().hears, own_estimate_, 1, into);
}

/// z_i = from + (t/2) (half step - from);  c_i = C(z_i);  xt_i follows. Returns the packet of c_i, unless it
/// waits in the backlog. Every R-th packet is the half step in full precision.
template <class Scalar>
PacketRef EcdPsgd<Scalar>::extrapolate(Iteration<Scalar>& it, const Vector<Scalar>& from, double t) {
  const bool restart = restarts_in(it.number());
  last_ = it.number();
  PacketBuffer buffer = it.new_packet();
  if (restart) {
    write_full<Scalar>(view(std::as_const(half_step_)), buffer);
    own_estimate_ = half_step_;
  } else {
    extrapolated_ = from + static_cast<Scalar>(t / 2) * (half_step_ - from);
    RandomStream random = it.random(Purpose::compression);
    decoded_.setZero();
    it.report(
        compressor_->encode_and_apply({view(std::as_const(extrapolated_)), random}, buffer, view(decoded_)));
    follow(own_estimate_, t);
    if (sum_) {
      const auto share = static_cast<Scalar>(2 / t);
      sum_->forget(1 - share);
      sum_->say(it.mixing().hears, decoded_, share);
    }
  }
  if (!backlog_) return std::move(buffer).seal();
  restart ? backlog_->begin_anew() : backlog_->say(buffer.bytes());
  return {};
}

/// xt_j <- xt_j + (2/t) (c_j - xt_j) for every neighbor, or the half step that a restart sends.
template <class Scalar>
void EcdPsgd<Scalar>::hear_all(Iteration<Scalar>& it, std::span<const PacketRef> packets, double t) {
  const std::vector<WeightedNeighbor>& neighbors = it.mixing().hears;
  if (restarts_in(it.number())) return hear_half_steps(it, packets);
  if (sum_)
    return it.report(sum_->hear(*compressor_, neighbors, packets, decoded_, static_cast<Scalar>(2 / t)));
  for (std::size_t j = 0; j < neighbors.size(); ++j)
    if (packets[j]) it.report(hear(packets[j]->bytes(), t, estimates_.of(neighbors[j].id)));
}

/// xt_j <- the half step of every neighbor, which a restart sends.
template <class Scalar>
void EcdPsgd<Scalar>::hear_half_steps(Iteration<Scalar>& it, std::span<const PacketRef> packets) {
  const std::vector<WeightedNeighbor>& neighbors = it.mixing().hears;
  if (sum_) sum_->begin_anew();
  for (std::size_t j = 0; j < neighbors.size(); ++j) {
    if (!packets[j]) continue;
    Vector<Scalar>& estimate = sum_ ? decoded_ : estimates_.of(neighbors[j].id);
    if (!read_full<Scalar>(packets[j]->bytes(), view(estimate)))
      it.report(CodecStatus::malformed);
    else if (sum_)
      sum_->add(neighbors[j], estimate, own_estimate_);
  }
}

/// The estimates of all c_j that were missed, each with its own t, or xt_j as it came.
template <class Scalar>
CodecStatus EcdPsgd<Scalar>::catch_up(std::span<const WeightedNeighbor> neighbors,
                                      std::span<const PacketRef> messages) {
  const auto replay = [this](std::span<const std::byte> packet, std::uint64_t number,
                             Vector<Scalar>& estimate) {
    return hear(packet, static_cast<double>(number), estimate);
  };
  return estimates_.catch_up_by(replay, neighbors, messages);
}

/// xt_j <- xt_j + (2/t) (c_j - xt_j), with c_j from its packet.
template <class Scalar>
CodecStatus EcdPsgd<Scalar>::hear(std::span<const std::byte> packet, double t, Vector<Scalar>& estimate) {
  decoded_.setZero();
  const CodecStatus status = compressor_->accumulate(packet, 1, view(decoded_));
  follow(estimate, t);
  return status;
}

/// xt <- xt + (2/t) (c - xt), with c in decoded_: the same operations at every holder.
template <class Scalar>
void EcdPsgd<Scalar>::follow(Vector<Scalar>& estimate, double t) {
  estimate += static_cast<Scalar>(2 / t) * (decoded_ - estimate);
}

template <class Scalar>
void EcdPsgd<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  if (adapts_first_) visitor.state("adapted", adapted_);
  if (sum_) {
    visitor.state("estimate", own_estimate_);
    sum_->visit(visitor);
  } else {
    visitor.published("estimate", own_estimate_);
    estimates_.visit(visitor);
  }
  visitor.scratch("half step", half_step_);
  visitor.scratch("extrapolated", extrapolated_);
  visitor.scratch("decoded", decoded_);
  local_.visit(visitor);
  if (!backlog_) return;
  backlog_->visit(visitor);
  visitor.numbers("last iteration", {&last_, 1});
}

template <class Scalar>
Traffic EcdPsgd<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  if (foretold_) return foretold_->in(number, rows);
  const Traits traits = compressor_->traits(static_cast<std::size_t>(x_.size()));
  if (backlog_) {
    foretold_ = BacklogTraffic{
        .packet_bytes = traits.bytes,
        .exact = !traits.data_dependent_size,
        .vector_bytes = view(x_).size_bytes(),
        .own = adapts_first_ ? BacklogTraffic::Own::told_with_others : BacklogTraffic::Own::told_next_time,
        .anew_every = restart_every_};
    return foretold_->in(number, rows);
  }
  if (restarts_in(number)) return gossip_traffic(rows.at(number - 1), view(x_).size_bytes());
  return gossip_traffic(rows.at(number - 1), traits.bytes, !traits.data_dependent_size);
}

/// Returns the traffic of iterations 1 to `last` if W is fixed: every R-th iteration sends full precision,
/// all others are alike. Empty if W changes.
template <class Scalar>
std::optional<Traffic> EcdPsgd<Scalar>::traffic_up_to(std::uint64_t last, const PeerRows& rows) const {
  if (backlog_) return std::nullopt;
  const std::uint64_t restarts = restart_every_ == 0 ? 0 : last / restart_every_;
  const Traffic compressed = compressed_traffic(rows.at(0), *compressor_, x_.size());
  return Traffic{
      last * compressed.messages,
      restarts * compressed.messages * view(x_).size_bytes() + (last - restarts) * compressed.payload_bytes,
      compressed.exact || restarts == last};
}

MethodInfo ecd_psgd_info() {
  return {
      .name = "ecd-psgd",
      .summary = "extrapolation compression: the model stays exact, estimates of it average out the noise",
      .equation =
          "x_i' = sum_j w_ij xt_j - eta g_i;  xt_j <- (1-2/t) xt_j + (2/t) C((1-t/2) x_j + (t/2) x_j')",
      .bytes = "deg (|C| + 64)",
      .source = "Tang et al. 2018, arXiv:1803.06443, Algorithm 2",
      .compressor = CompressorNeed::absolute,
      .membership = Membership::exact,
      .may_be_joined = true,
      .default_compressor = "grid(0.02)",
      .needs_symmetric_mixing = true,
      .permits_time_varying = true,
      .options = {{option::restart_every, 0},
                  {option::optimizer, "sgd"},
                  {option::local_steps, 1},
                  {option::order, "combine-then-adapt"},
                  {option::memory, "replicas"}},
      .orders = {"combine-then-adapt", "adapt-then-combine"},
      .keeps_all_because = what_is_summed_up,
      .trials = {.with = {{.compressor = "grid(0.02)",
                           .because = "models stay exact, and errors never pile up",
                           .iterations = 1.1}}},
      .manual = {.overlap = Overlap::all,
                 .bytes_note = " (*)",
                 .memory = "deg + 6",
                 .needs = "W symmetric, or any schedule; C unbiased with an absolute error"},
      .make = factory<EcdPsgd>()};
}

}  // namespace hearsay

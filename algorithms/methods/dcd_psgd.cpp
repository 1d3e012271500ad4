#include "algorithms/methods/dcd_psgd.hpp"

#include "algorithms/methods/parts/option_checks.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
DcdPsgd<Scalar>::DcdPsgd(const MethodInput<Scalar>& input)
    : compressor_(SideInformation<Scalar>::compressor(input)),
      adapts_first_(input.options[option::order] == "adapt-then-combine"),
      x_(input.initial),
      replicas_(replicas_kept(input), input.initial),
      sum_(replica_sum_for(input)),
      side_information_(input),
      difference_(input.initial.size()),
      local_(input),
      backlog_(backlog_for(input)) {
  if (adapts_first_) own_replica_ = input.initial;
}

template <class Scalar>
Task DcdPsgd<Scalar>::combine_then_adapt(Iteration<Scalar>& it) {
  // catch up: send to every neighbor of this round the c_i that it missed, or x_i
  std::optional<Slot> told;
  if (backlog_) told = backlog_->tell(it, x_);

  // gradient: g_i = grad F_i(x_i; xi_i);  s_i = -eta g_i, or the sum of H local steps
  co_await local_.steps(it, x_);

  // catch up: xhat_j <- xhat_j + every c_j that was missed, or x_j
  if (backlog_) {
    const std::span<const PacketRef> messages = co_await it.collect(*told);
    it.report(replicas_.catch_up(*compressor_, it.mixing().hears, messages));
  }

  // difference: z_i = sum_j w_ij (xhat_j - x_i) + s_i
  by_blocks(difference_.size(), [&](Block block) {
    if (sum_) {
      part(difference_, block) = sum_->value().segment(block.begin, block.size);
    } else {
      part(difference_, block).setZero();
      replicas_.add_differences(it.mixing().hears, x_, 1, difference_, block);
    }
    local_.add_to(difference_, block);
  });

  // compress: c_i = C(z_i), encoded once;  x_i <- x_i + c_i
  PacketBuffer buffer = it.new_packet();
  RandomStream random = it.random(Purpose::compression);
  it.report(side_information_.say(*compressor_, difference_, random, buffer, x_));
  if (sum_) it.report(sum_->say(*compressor_, it.mixing().hears, buffer.bytes(), difference_));

  if (backlog_) {
    backlog_->say(buffer.bytes());
    co_return;
  }

  // exchange: send c_i to every neighbor;  xhat_j <- xhat_j + c_j. x_i is that of the next iteration already,
  // so c_i travels during the next gradient.
  const Slot slot = it.post(std::move(buffer).seal());
  co_await local_.ahead(it, x_);
  take_in(it, co_await it.collect(slot));
}

template <class Scalar>
Task DcdPsgd<Scalar>::adapt_then_combine(Iteration<Scalar>& it) {
  // gradient: y_i = x_i;  H times: g_i = grad F_i(y_i; xi_i);  y_i <- y_i - eta g_i
  co_await local_.steps(it, x_);

  // compress: c_i = C(y_i - xhat_i), encoded once;  xhat_i <- xhat_i + c_i
  difference_ = x_ - own_replica_;
  local_.add_to(difference_);
  PacketBuffer buffer = it.new_packet();
  RandomStream random = it.random(Purpose::compression);
  it.report(side_information_.say(*compressor_, difference_, random, buffer, own_replica_));
  if (sum_) it.report(sum_->say(*compressor_, it.mixing().hears, buffer.bytes(), difference_));

  // exchange: send c_i to every neighbor;  xhat_j <- xhat_j + c_j
  if (backlog_) {
    backlog_->say(buffer.bytes());
    const std::span<const PacketRef> messages = co_await it.collect(backlog_->tell(it, own_replica_));
    it.report(replicas_.catch_up(*compressor_, it.mixing().hears, messages));
  } else {
    const PacketRef packet = std::move(buffer).seal();
    take_in(it, co_await it.exchange(packet));
  }

  // mix: x_i <- xhat_i + sum_j w_ij (xhat_j - xhat_i)
  x_ = own_replica_;
  if (sum_)
    x_ += sum_->value();
  else
    replicas_.add_differences(it.mixing().hears, own_replica_, 1, x_);
}

/// xhat_j <- xhat_j + c_j, for every neighbor j; or S_i <- S_i + sum_j w_ij c_j.
template <class Scalar>
void DcdPsgd<Scalar>::take_in(Iteration<Scalar>& it, std::span<const PacketRef> packets) {
  const std::vector<WeightedNeighbor>& neighbors = it.mixing().hears;
  if (sum_)
    it.report(sum_->hear(*compressor_, neighbors, packets, difference_));
  else
    it.report(side_information_.hear(*compressor_, neighbors, packets, replicas_));
}

template <class Scalar>
void DcdPsgd<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  // Of what is summed up nobody keeps a replica.
  const auto publish = [&](std::string_view name, Vector<Scalar>& vector) {
    sum_ ? visitor.state(name, vector) : visitor.published(name, vector);
  };
  if (adapts_first_) {
    visitor.state("model", x_);
    publish("own replica", own_replica_);
  } else {
    publish("model", x_);
  }
  if (sum_) {
    sum_->visit(visitor);
  } else {
    replicas_.visit(visitor);
    side_information_.visit(visitor);
  }
  visitor.scratch("difference", difference_);
  local_.visit(visitor);
  if (backlog_) backlog_->visit(visitor);
}

template <class Scalar>
Traffic DcdPsgd<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  if (foretold_) return foretold_->in(number, rows);
  const Traits traits = compressor_->traits(static_cast<std::size_t>(x_.size()));
  if (backlog_) {
    foretold_ = BacklogTraffic{
        .packet_bytes = traits.bytes,
        .exact = !traits.data_dependent_size,
        .vector_bytes = view(x_).size_bytes(),
        .own = adapts_first_ ? BacklogTraffic::Own::told_with_others : BacklogTraffic::Own::told_next_time};
    return foretold_->in(number, rows);
  }
  return gossip_traffic(rows.at(number - 1), traits.bytes, !traits.data_dependent_size);
}

MethodInfo dcd_psgd_info() {
  return {.name = "dcd-psgd",
          .summary = "difference compression: replicas follow compressed model differences",
          .equation = "x_i <- x_i + C(sum_j w_ij (xhat_j - x_i) - eta g_i)",
          .bytes = "deg (|C| + 64)",
          .source = "Tang et al. 2018, arXiv:1803.06443, Algorithm 1",
          .compressor = CompressorNeed::unbiased,
          .membership = Membership::exact,
          .may_be_joined = true,
          .default_compressor = "dither(linf, bits=8, bucket=512)",
          .needs_symmetric_mixing = true,
          .permits_time_varying = true,
          .options = {{option::optimizer, "sgd"},
                      {option::local_steps, 1},
                      {option::order, "combine-then-adapt"},
                      {option::memory, "replicas"},
                      {option::side_information, "none"}},
          .orders = {"combine-then-adapt", "adapt-then-combine"},
          .unknown_sizes = sizes_by_side_information,
          .keeps_all_because = what_is_summed_up,
          .trials = {.with = {{.compressor = "dither(linf, bits=8, bucket=512)",
                               .because = "d-psgd in a quarter of the bytes, on any topology"},
                              {.compressor = "natural",
                               .because = "as short, and its worst case is no worse than its usual one"},
                              {.compressor = "dither(linf, bits=4, bucket=512)",
                               .because = "an eighth of the bytes, if the topology tolerates its noise"},
                              {.compressor = "dither(linf, bits=4, bucket=512)",
                               .because = "the same with four local steps to a message",
                               .iterations = 0.3,
                               .options = {{option::local_steps, 4}}}}},
          .manual = {.overlap = Overlap::all,
                     .bytes_note = " (*)",
                     .memory = "deg + 3",
                     .needs = "W symmetric, or any schedule; C unbiased, omega below a limit"},
          .make = factory<DcdPsgd>()};
}

}  // namespace hearsay

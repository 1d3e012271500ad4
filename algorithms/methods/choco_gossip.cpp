#include "algorithms/methods/choco_gossip.hpp"

#include "algorithms/methods/parts/option_checks.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
ChocoGossip<Scalar>::ChocoGossip(const MethodInput<Scalar>& input)
    : compressor_(SideInformation<Scalar>::compressor(input)),
      consensus_step_(input.options[option::consensus_step]),
      x_(input.initial),
      own_replica_(input.initial),
      replicas_(input.neighbors, input.initial),
      side_information_(input),
      difference_(input.initial.size()),
      backlog_(backlog_for(input)) {}

template <class Scalar>
Task ChocoGossip<Scalar>::iterate(Iteration<Scalar>& it) {
  const std::vector<WeightedNeighbor>& neighbors = it.mixing().hears;

  // start: x_i <- x_0 - eta_1 grad f_i(x_0), in the first iteration
  if (backlog_ ? backlog_->said() == 0 : it.number() == 1) {
    const Vector<Scalar>& gradient = co_await it.full_gradient(x_);
    x_ = own_replica_ - it.step_size() * gradient;
  }

  // compress: q_i = C(x_i - xhat_i), encoded once, sent to every neighbor
  difference_ = x_ - own_replica_;
  PacketBuffer buffer = it.new_packet();
  RandomStream random = it.random(Purpose::compression);
  it.report(side_information_.say(*compressor_, difference_, random, buffer, own_replica_));

  if (backlog_) {
    // catch up: send to every neighbor of this round the q_i that it missed, or xhat_i;
    // xhat_j <- xhat_j + every q_j
    backlog_->say(buffer.bytes());
    const Slot told = backlog_->tell(it, own_replica_);
    const std::span<const PacketRef> messages = co_await it.collect(told);
    it.report(replicas_.catch_up(*compressor_, neighbors, messages));
  } else {
    // replicas: xhat_j <- xhat_j + q_j, for every neighbor j and for i itself
    const PacketRef packet = std::move(buffer).seal();
    const std::span<const PacketRef> packets = co_await it.exchange(packet);
    it.report(side_information_.hear(*compressor_, neighbors, packets, replicas_));
  }

  // consensus: x_i <- x_i + gamma sum_j w_ij (xhat_j - xhat_i)
  replicas_.add_differences(neighbors, own_replica_, static_cast<Scalar>(consensus_step_), x_);
}

template <class Scalar>
void ChocoGossip<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.published("own replica", own_replica_);
  replicas_.visit(visitor);
  side_information_.visit(visitor);
  visitor.scratch("difference", difference_);
  if (backlog_) backlog_->visit(visitor);
}

template <class Scalar>
Traffic ChocoGossip<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  if (foretold_) return foretold_->in(number, rows);
  const Traits traits = compressor_->traits(static_cast<std::size_t>(x_.size()));
  if (backlog_) {
    foretold_ = BacklogTraffic{.packet_bytes = traits.bytes,
                               .exact = !traits.data_dependent_size,
                               .vector_bytes = view(x_).size_bytes()};
    return foretold_->in(number, rows);
  }
  return gossip_traffic(rows.at(number - 1), traits.bytes, !traits.data_dependent_size);
}

MethodInfo choco_gossip_info() {
  return {.name = "choco-gossip",
          .summary = "average consensus by compressed messages, on the models after one local gradient step",
          .equation = "x_i <- x_i + gamma sum_j w_ij (xhat_j - xhat_i), xhat_i <- xhat_i + C(x_i - xhat_i)",
          .bytes = "deg (|C| + 64)",
          .source = "Koloskova et al. 2019, arXiv:1902.00340, Algorithm 1",
          .compressor = CompressorNeed::contracting,
          .membership = Membership::exact,
          .may_be_joined = true,
          .default_compressor = "topk(10%)",
          .needs_symmetric_mixing = true,
          .permits_time_varying = true,
          .trains = false,
          .unclippable_because = "it averages what one gradient step leaves, and takes no other gradient",
          .options = {{option::consensus_step, 0.2}, {option::side_information, "none"}},
          .unknown_sizes = sizes_by_side_information,
          .gossip_model =
              [](const MethodOptions& options, double keep, double mu) {
                return replica_gossip_model(options[option::consensus_step], keep, mu);
              },
          .trials = {.none_because = "it averages, and does not train"},
          .manual = {.iteration = "x_i <- x_i + gamma sum_j w_ij (xhat_j - xhat_i) from x_0 - eta grad "
                                  "f_i(x_0): averages, no training",
                     .bytes_note = " (*)",
                     .memory = "deg + 4",
                     .needs = "as `choco-sgd`"},
          .make = factory<ChocoGossip>()};
}

}  // namespace hearsay

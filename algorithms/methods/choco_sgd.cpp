#include "algorithms/methods/choco_sgd.hpp"

#include <cmath>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/methods/parts/option_checks.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/advice.hpp"
#include "algorithms/seam/method_factory.hpp"
#include "algorithms/seam/run_view.hpp"

namespace hearsay {

namespace option {
const NumberOption trigger("trigger", {0.0, any_number},
                           "c_0: a peer with ||x_i - xhat_i||^2 of at most c_0 sqrt(t) eta^2 sends an empty "
                           "message; 0: it always sends");
}  // namespace option

template <class Scalar>
ChocoSgd<Scalar>::ChocoSgd(const MethodInput<Scalar>& input)
    : compressor_(SideInformation<Scalar>::compressor(input)),
      consensus_step_(input.options[option::consensus_step]),
      trigger_(input.options[option::trigger]),
      local_steps_(input.options[option::local_steps]),
      pipelined_(input.options[option::order] == "pipelined"),
      x_(input.initial),
      own_replica_(input.initial),
      replicas_(replicas_kept(input), input.initial),
      sum_(replica_sum_for(input)),
      side_information_(input),
      difference_(input.initial.size()),
      local_(input),
      backlog_(backlog_for(input)) {}

template <class Scalar>
Task ChocoSgd<Scalar>::iterate(Iteration<Scalar>& it) {
  std::optional<Slot> posted;
  if (pipelined_) {
    // consensus: x_i <- x_i + gamma sum_j w_ij (xhat_j - xhat_i);  compress: q_i = C(x_i - xhat_i), sent
    consensus(it);
    posted = send(it, compressed(it));
  }

  // gradient: g_i = grad F_i(x_i; xi_i);  x_i <- x_i - eta g_i, or H local steps
  co_await local_.steps(it, x_);
  local_.add_to(x_);

  // compress: q_i = C(x_i - xhat_i), encoded once, sent to every neighbor;
  // catch up: with every q_i that it missed, or xhat_i
  if (!posted) posted = send(it, compressed(it));

  // replicas: xhat_j <- xhat_j + q_j, for every neighbor j and for i itself;
  // catch up: every q_j missed, or xhat_j
  const std::span<const PacketRef> packets = co_await it.collect(*posted);
  take_in(it, packets);

  // consensus: x_i <- x_i + gamma sum_j w_ij (xhat_j - xhat_i)
  if (!pipelined_) consensus(it);
}

/// Returns the packet of q_i, and adds the decoded packet to xhat_i. The packet is empty if the change does
/// not reach the trigger.
template <class Scalar>
PacketRef ChocoSgd<Scalar>::compressed(Iteration<Scalar>& it) {
  PacketBuffer buffer = it.new_packet();
  difference_ = x_ - own_replica_;
  const double eta = static_cast<double>(it.step_size());
  const auto local_steps_so_far = static_cast<double>(it.number() * local_steps_);
  const double threshold = trigger_ * std::sqrt(local_steps_so_far) * eta * eta;
  const bool silent = trigger_ > 0.0 && squared_norm(view(std::as_const(difference_))) <= threshold;
  if (silent) {
    buffer.resize(0);
  } else {
    RandomStream random = it.random(Purpose::compression);
    it.report(side_information_.say(*compressor_, difference_, random, buffer, own_replica_));
    if (sum_) it.report(sum_->say(*compressor_, it.mixing().hears, buffer.bytes(), difference_));
  }
  return std::move(buffer).seal();
}

template <class Scalar>
Slot ChocoSgd<Scalar>::send(Iteration<Scalar>& it, const PacketRef& packet) {
  if (!backlog_) return it.post(packet);
  const bool silent = trigger_ > 0.0 && packet->size() == 0;
  if (!silent) backlog_->say(packet->bytes());
  return backlog_->tell(it, own_replica_);
}

template <class Scalar>
void ChocoSgd<Scalar>::take_in(Iteration<Scalar>& it, std::span<const PacketRef> packets) {
  const std::vector<WeightedNeighbor>& neighbors = it.mixing().hears;
  const bool silence_allowed = trigger_ > 0.0;
  if (backlog_) {
    it.report(replicas_.catch_up(*compressor_, neighbors, packets));
    return;
  }
  if (sum_)
    it.report(sum_->hear(*compressor_, neighbors, packets, difference_, 1, silence_allowed));
  else
    it.report(side_information_.hear(*compressor_, neighbors, packets, replicas_, silence_allowed));
}

template <class Scalar>
void ChocoSgd<Scalar>::consensus(const Iteration<Scalar>& it) {
  const auto gamma = static_cast<Scalar>(consensus_step_);
  if (sum_)
    x_ += gamma * sum_->value();
  else
    replicas_.add_differences(it.mixing().hears, own_replica_, gamma, x_);
}

template <class Scalar>
void ChocoSgd<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  if (sum_) {
    visitor.state("own replica", own_replica_);
    sum_->visit(visitor);
  } else {
    visitor.published("own replica", own_replica_);
    replicas_.visit(visitor);
    side_information_.visit(visitor);
  }
  visitor.scratch("difference", difference_);
  local_.visit(visitor);
  if (backlog_) backlog_->visit(visitor);
}

template <class Scalar>
Traffic ChocoSgd<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  if (foretold_) return foretold_->in(number, rows);
  const Traits traits = compressor_->traits(static_cast<std::size_t>(x_.size()));
  const bool exact = !traits.data_dependent_size && trigger_ == 0.0;
  if (backlog_) {
    foretold_ =
        BacklogTraffic{.packet_bytes = traits.bytes, .exact = exact, .vector_bytes = view(x_).size_bytes()};
    return foretold_->in(number, rows);
  }
  return gossip_traffic(rows.at(number - 1), traits.bytes, exact);
}

namespace {

/// Refuses what needs the same links in every round, although the method itself does not.
void check_links(const RunView& view, Advice& advice) {
  const std::string& order = view.options[option::order];
  if (order == "pipelined" && view.links_vary())
    advice.refuse("algorithm.order", order,
                  "what travels during the gradient is for the next round's mixing, and here its neighbors "
                  "are others; expected plain, or topology.schedule = \"static\" with "
                  "topology.participation = 1");
}

UnknownSizes sizes_by_trigger(const MethodOptions& options) {
  if (options[option::trigger] > 0.0) return {"the values of the model", &option::trigger};
  return sizes_by_side_information(options);
}

/// Why an edge cannot be taken out of W.
std::string what_it_sums_up(const MethodOptions& options) {
  if (options[option::order] != "pipelined") return what_is_summed_up(options);
  return "mixes what it has heard an iteration later (algorithm.order = \"pipelined\"); expected "
         "algorithm.order = \"plain\"";
}

}  // namespace

MethodInfo choco_sgd_info() {
  return {.name = "choco-sgd",
          .summary =
              "compressed gossip that preserves the mean: any contractive compressor, with a consensus step",
          .equation =
              "x_i <- x_i - eta g_i + gamma sum_j w_ij (xhat_j - xhat_i), xhat_i <- xhat_i + C(x_i - xhat_i)",
          .bytes = "deg (|C| + 64)",
          .source = "Koloskova et al. 2019, arXiv:1902.00340, Algorithm 2",
          .compressor = CompressorNeed::contracting,
          .membership = Membership::exact,
          .may_be_joined = true,
          .default_compressor = "topk(10%)",
          .needs_symmetric_mixing = true,
          .permits_time_varying = true,
          .options = {{option::consensus_step, 0.2},
                      {option::optimizer, "sgd"},
                      {option::local_steps, 1},
                      {option::trigger, 0.0},
                      {option::memory, "replicas"},
                      {option::order, "plain"},
                      {option::side_information, "none"}},
          .orders = {"plain", "pipelined"},
          .check = check_links,
          .unknown_sizes = sizes_by_trigger,
          .keeps_all_because = what_it_sums_up,
          .gossip_model =
              [](const MethodOptions& options, double keep, double mu) {
                return replica_gossip_model(options[option::consensus_step], keep, mu);
              },
          .trials = {.with = {{.compressor = "scale{dither(linf, bits=2, bucket=512)}",
                               .because = "a sixteenth of the bytes on any topology, by smaller steps",
                               .iterations = 1.2},
                              {.compressor = "topk(10%)",
                               .because = "sends what matters most: for gradients with few large entries",
                               .iterations = 1.2},
                              {.compressor = "topk(1%)",
                               .because = "the fewest bytes of all",
                               .iterations = 4.0,
                               .options = {{option::consensus_step, 0.05}}},
                              {.compressor = "sign(bucket=512)",
                               .because = "a bit a number, and four local steps to a message",
                               .iterations = 0.35,
                               .options = {{option::consensus_step, 0.5}, {option::local_steps, 4}}}}},
          .manual = {.iteration = "x_i <- x_i - eta g_i; xhat_i <- xhat_i + C(x_i - xhat_i); x_i <- x_i + "
                                  "gamma sum_j w_ij (xhat_j - xhat_i)",
                     .bytes_note = " (*)",
                     .memory = "deg + 4",
                     .needs = "W symmetric, or any schedule; C contracting (`scale{...}` makes an unbiased "
                              "one so); a small enough gamma",
                     .related = "Koloskova et al. 2020, Algorithm 1; SPARQ, SQuARM: Singh et al. 2019, 2020"},
          .make = factory<ChocoSgd>()};
}

}  // namespace hearsay

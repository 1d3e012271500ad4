#include "algorithms/methods/beer.hpp"

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
Beer<Scalar>::Beer(const MethodInput<Scalar>& input)
    : compressor_(make_compressor<Scalar>(input.compressor, input.segments)),
      consensus_step_(input.options[option::consensus_step]),
      x_(input.initial),
      tracker_(Vector<Scalar>::Zero(input.initial.size())),
      gradient_(Vector<Scalar>::Zero(input.initial.size())),
      own_model_(input.initial),
      models_(input.neighbors, input.initial),
      own_tracker_(Vector<Scalar>::Zero(input.initial.size())),
      trackers_(input.neighbors, own_tracker_),
      difference_(input.initial.size()) {}

template <class Scalar>
Task Beer<Scalar>::iterate(Iteration<Scalar>& it) {
  const auto gamma = static_cast<Scalar>(consensus_step_);

  // trackers: c_i = C(V_i - G_i), sent to every neighbor
  RandomStream& behind_models = random_.go_on(it, it.number() - 1, *compressor_, difference_);
  const Slot tracker_slot = it.post(compressed(it, tracker_, behind_models, own_tracker_));

  // start: V_i = g_i = grad F_i(x_0; xi_i)
  if (it.number() == 1) {
    co_await it.gradient(x_);
    it.keep_gradient(gradient_);
    tracker_ = gradient_;
  }

  // step: x_i <- x_i + gamma sum_j w_ij (H_j - H_i) - eta V_i
  models_.add_differences(it.mixing().hears, own_model_, gamma, x_);
  x_ -= it.step_size() * tracker_;

  // models: h_i = C(x_i - H_i), sent to every neighbor
  const Slot model_slot = it.post(compressed(it, x_, random_.begin(it, it.number()), own_model_));

  // gradient: g_i' = grad F_i(x_i; xi_i)
  const Vector<Scalar>& gradient = co_await it.gradient(x_);

  // hear: G_j <- G_j + c_j,  H_j <- H_j + h_j
  const std::span<const PacketRef> trackers = co_await it.collect(tracker_slot);
  it.report(trackers_.hear(*compressor_, it.mixing().hears, trackers));
  const std::span<const PacketRef> models = co_await it.collect(model_slot);
  it.report(models_.hear(*compressor_, it.mixing().hears, models));

  // track: V_i <- V_i + gamma sum_j w_ij (G_j - G_i) + g_i' - g_i;  g_i <- g_i'
  trackers_.add_differences(it.mixing().hears, own_tracker_, gamma, tracker_);
  tracker_ += gradient - gradient_;
  it.keep_gradient(gradient_);
}

/// Returns the packet of C(vector - own_replica), and adds the decoded packet to own_replica.
template <class Scalar>
PacketRef Beer<Scalar>::compressed(Iteration<Scalar>& it, const Vector<Scalar>& vector, RandomStream& random,
                                   Vector<Scalar>& own_replica) {
  difference_ = vector - own_replica;
  PacketBuffer buffer = it.new_packet();
  it.report(
      compressor_->encode_and_apply({view(std::as_const(difference_)), random}, buffer, view(own_replica)));
  return std::move(buffer).seal();
}

template <class Scalar>
void Beer<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("tracker", tracker_);
  visitor.state("gradient", gradient_);
  visitor.published("model replica", own_model_);
  visitor.published("tracker replica", own_tracker_);
  models_.visit(visitor, "model replica");
  trackers_.visit(visitor, "tracker replica");
  visitor.scratch("difference", difference_);
}

template <class Scalar>
Traffic Beer<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return twice(compressed_traffic(rows.at(number - 1), *compressor_, x_.size()));
}

MethodInfo beer_info() {
  return {.name = "beer",
          .summary = "compressed gradient tracking: any contraction, no bias from differing data",
          .equation = "x_i <- x_i + gamma sum_j w_ij (H_j - H_i) - eta V_i, V_i tracks the mean gradient",
          .bytes = "2 deg (|C| + 64)",
          .source = "Zhao et al. 2022, arXiv:2201.13320, Algorithm 1",
          .compressor = CompressorNeed::contracting,
          .membership = Membership::reinitialise,
          .default_compressor = "topk(10%)",
          .needs_symmetric_mixing = true,
          .compresses_trackers = true,
          .options = {{option::consensus_step, 0.1}},
          .gossip_model =
              [](const MethodOptions& options, double keep, double mu) {
                return replica_gossip_model(options[option::consensus_step], keep, mu);
              },
          .trials = {.with = {{.compressor = "topk(10%)",
                               .because = "as cedas, with a biased compressor",
                               .iterations = 1.5}}},
          .manual = {.overlap = Overlap::all,
                     .iteration = "x_i <- x_i + gamma sum_j w_ij (H_j - H_i) - eta V_i; V_i <- V_i + gamma "
                                  "sum_j w_ij (G_j - G_i) + g_i' - g_i; H_i, G_i follow x_i, V_i through C",
                     .memory = "2 deg + 7",
                     .needs = "W symmetric; C contracting; full gradients or large batches"},
          .make = factory<Beer>()};
}

}  // namespace hearsay

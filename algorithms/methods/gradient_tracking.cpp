#include "algorithms/methods/gradient_tracking.hpp"

#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
GradientTracking<Scalar>::GradientTracking(const MethodInput<Scalar>& input)
    : x_(input.initial),
      tracker_(Vector<Scalar>::Zero(input.initial.size())),
      last_gradient_(Vector<Scalar>::Zero(input.initial.size())),
      mixed_(input.initial.size()) {}

template <class Scalar>
Task GradientTracking<Scalar>::iterate(Iteration<Scalar>& it) {
  // publish: send y_i to every neighbor
  const Slot slot = it.post(it.lent_packet(tracker_));
  mixing_.begin_mixing(it, slot, tracker_, 1.0, mixed_);

  // gradient: g_i' = grad F_i(x_i; xi_i)
  const Vector<Scalar>& gradient = co_await it.gradient(x_);

  // track: y_i <- g_i' + (sum_j w_ij y_j - g_i);  g_i <- g_i'
  const std::span<const PacketRef> trackers = co_await it.collect(slot);
  it.report(mixing_.finish(it.mixing(), trackers));
  tracker_ = gradient + (mixed_ - last_gradient_);
  it.keep_gradient(last_gradient_);

  // step, mix: x_i <- sum_j w_ij (x_j - eta y_j)
  x_ -= it.step_size() * tracker_;
  const Slot model_slot = it.post(it.lent_packet(x_));
  mixing_.begin_mixing(it, model_slot, x_, 1.0, mixed_);
  const std::span<const PacketRef> models = co_await it.collect(model_slot);
  it.report(mixing_.finish(it.mixing(), models));
  x_.swap(mixed_);
}

template <class Scalar>
void GradientTracking<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("tracker", tracker_);
  visitor.state("last gradient", last_gradient_);
  visitor.scratch("mixed", mixed_);
}

template <class Scalar>
Traffic GradientTracking<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return twice(gossip_traffic(rows.at(number - 1), view(x_).size_bytes()));
}

MethodInfo gradient_tracking_info() {
  return {.name = "gradient-tracking",
          .aliases = {"dsgt"},
          .summary = "gossip on the models and on an estimate of the mean gradient",
          .equation = "y_i <- sum_j w_ij y_j + g_i' - g_i; x_i <- sum_j w_ij (x_j - eta y_j)",
          .bytes = "2 deg (4d + 64)",
          .source = "Pu, Nedic 2020, arXiv:1805.11454, Algorithm 1; Nedic et al. 2017 (DIGing)",
          .compressor = CompressorNeed::none,
          .membership = Membership::reinitialise,
          .permits_negative_weights = true,
          .permits_time_varying = true,
          .trials = {.with = {{.because = "as d2 under varying links, for twice the messages"}}},
          .manual = {.overlap = Overlap::some, .memory = "5", .needs = "W doubly stochastic"},
          .make = factory<GradientTracking>()};
}

}  // namespace hearsay

#include "algorithms/methods/c_gt.hpp"

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
CGt<Scalar>::CGt(const MethodInput<Scalar>& input)
    : compressor_(make_compressor<Scalar>(input.compressor, input.segments)),
      consensus_step_(input.options[option::consensus_step]),
      x_(input.initial),
      tracker_(Vector<Scalar>::Zero(input.initial.size())),
      gradient_(tracker_),
      models_(input.neighbors, input.initial, input.options[option::damping]),
      trackers_(input.neighbors, tracker_, input.options[option::damping]),
      mixed_(input.initial),
      difference_(input.initial.size()) {}

template <class Scalar>
Task CGt<Scalar>::iterate(Iteration<Scalar>& it) {
  const auto gamma = static_cast<Scalar>(consensus_step_);

  // start: y_i = g_i = grad F_i(x_0; xi_i)
  if (it.number() == 1) {
    co_await it.gradient(x_);
    it.keep_gradient(gradient_);
    tracker_ = gradient_;
  }

  // trackers: yhat = COMM(y, G), sent to every neighbor
  RandomStream& behind_models = random_.go_on(it, it.number(), *compressor_, difference_);
  difference_ = tracker_ - trackers_.own_reference();
  const Slot tracker_slot = trackers_.say(it, *compressor_, difference_, behind_models);

  // step: x_i <- m_i - eta y_i
  x_ = mixed_ - it.step_size() * tracker_;

  // models: xhat = COMM(x, H), sent to every neighbor
  difference_ = x_ - models_.own_reference();
  const Slot model_slot = models_.say(it, *compressor_, difference_, random_.begin(it, it.number() + 1));

  // gradient: g_i' = grad F_i(x_i; xi_i)
  const Vector<Scalar>& gradient = co_await it.gradient(x_);

  // track: y_i <- y_i - gamma sum_j w_ij (yhat_i - yhat_j) + g_i' - g_i;  g_i <- g_i'
  const std::span<const PacketRef> trackers = co_await it.collect(tracker_slot);
  trackers_.add_differences(it, *compressor_, it.mixing().hears, trackers, -gamma, tracker_);
  tracker_ += gradient - gradient_;
  it.keep_gradient(gradient_);

  // mix: m_i = x_i - gamma sum_j w_ij (xhat_i - xhat_j)
  const std::span<const PacketRef> models = co_await it.collect(model_slot);
  mixed_ = x_;
  models_.add_differences(it, *compressor_, it.mixing().hears, models, -gamma, mixed_);
}

template <class Scalar>
void CGt<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("mixed", mixed_);
  visitor.state("tracker", tracker_);
  visitor.state("gradient", gradient_);
  models_.visit(visitor, "model reference");
  trackers_.visit(visitor, "tracker reference");
  visitor.scratch("difference", difference_);
}

template <class Scalar>
Traffic CGt<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return twice(compressed_traffic(rows.at(number - 1), *compressor_, x_.size()));
}

namespace {

/// Without gradients the trackers vanish. The state is s = (x, H):  d = x - H,  xhat = H + keep d + noise,
/// x' = x - gamma mu xhat,  H' = H + a (keep d + noise).
GossipModel c_gt_gossip_model(const MethodOptions& options, double keep, double mu) {
  const double step = options[option::consensus_step] * mu;
  const double damping = options[option::damping];
  GossipModel model;
  model.compressed << 1.0, -1.0, 0.0;
  model.step.row(0) << 1.0 - step * keep, -step * (1.0 - keep), 0.0;
  model.step.row(1) << damping * keep, 1.0 - damping * keep, 0.0;
  model.noise << -step, damping, 0.0;
  return model;
}

}  // namespace

MethodInfo c_gt_info() {
  return {
      .name = "c-gt",
      .summary = "gradient tracking with compressed messages: no bias from heterogeneous data",
      .equation = "x_i <- x_i - gamma sum_j w_ij (xhat_i - xhat_j) - eta y_i, y_i tracks the mean gradient",
      .bytes = "2 deg (|C| + 64)",
      .source = "Liao et al. 2022, arXiv:2103.13748, Algorithm 1",
      .compressor = CompressorNeed::damped,
      .membership = Membership::reinitialise,
      .default_compressor = "dither(linf, bits=2, bucket=512)",
      .needs_symmetric_mixing = true,
      .compresses_trackers = true,
      .options = {{option::consensus_step, 0.2}, {option::damping, 0.3}},
      .gossip_model = c_gt_gossip_model,
      .trials = {.with = {{.compressor = "dither(linf, bits=2, bucket=512)",
                           .because = "as cedas, by gradient tracking",
                           .iterations = 1.2}}},
      .manual = {.overlap = Overlap::all,
                 .iteration = "x_i <- x_i - gamma sum_j w_ij (xhat_i - xhat_j) - eta y_i; y_i <- y_i - gamma "
                              "sum_j w_ij (yhat_i - yhat_j) + g_i' - g_i; xhat_i = H_i + C(x_i - H_i), H_i "
                              "<- H_i + a (xhat_i - H_i), yhat_i likewise",
                 .memory = "2 deg + 12",
                 .needs = "as `cedas`; full gradients or large batches"},
      .make = factory<CGt>()};
}

}  // namespace hearsay

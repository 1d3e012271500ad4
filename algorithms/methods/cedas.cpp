#include "algorithms/methods/cedas.hpp"

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
Cedas<Scalar>::Cedas(const MethodInput<Scalar>& input)
    : compressor_(make_compressor<Scalar>(input.compressor, input.segments)),
      consensus_step_(input.options[option::consensus_step]),
      x_(input.initial),
      dual_(Vector<Scalar>::Zero(input.initial.size())),
      references_(input.neighbors, input.initial, input.options[option::damping]),
      stepped_(input.initial.size()),
      difference_(input.initial.size()) {}

template <class Scalar>
Task Cedas<Scalar>::iterate(Iteration<Scalar>& it) {
  // gradient: g_i = grad F_i(x_i; xi_i)
  const Vector<Scalar>& gradient = co_await it.gradient(x_);

  // try: y_i = x_i - eta g_i - D_i;  compress: q_i = C(y_i - H_i), encoded once, sent to every neighbor
  stepped_ = x_ - it.step_size() * gradient;
  difference_ = (stepped_ - dual_) - references_.own_reference();
  RandomStream random = it.random(Purpose::compression);
  const Slot slot = references_.say(it, *compressor_, difference_, random);

  // dual: D_i <- D_i + (gamma/2) sum_j w_ij (yhat_i - yhat_j);  reference: H_j <- H_j + a q_j
  const std::span<const PacketRef> packets = co_await it.collect(slot);
  references_.add_differences(it, *compressor_, it.mixing().hears, packets,
                              static_cast<Scalar>(consensus_step_ / 2), dual_);

  // step: x_i <- x_i - eta g_i - D_i
  x_ = stepped_ - dual_;
}

template <class Scalar>
void Cedas<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("dual", dual_);
  references_.visit(visitor, "reference");
  visitor.scratch("stepped", stepped_);
  visitor.scratch("difference", difference_);
}

template <class Scalar>
Traffic Cedas<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return compressed_traffic(rows.at(number - 1), *compressor_, x_.size());
}

namespace {

/// Without gradients the state is s = (x, D, H):  d = x - D - H,  yhat = H + keep d + noise,
/// D' = D + (gamma/2) mu yhat,  x' = x - D',  H' = H + a (keep d + noise).
GossipModel cedas_gossip_model(const MethodOptions& options, double keep, double mu) {
  const double dual_step = 0.5 * options[option::consensus_step] * mu;
  const double damping = options[option::damping];
  GossipModel model;
  model.compressed << 1.0, -1.0, -1.0;
  const Eigen::RowVector3d tried = Eigen::RowVector3d(0.0, 0.0, 1.0) + keep * model.compressed;
  model.step.row(1) = Eigen::RowVector3d(0.0, 1.0, 0.0) + dual_step * tried;
  model.step.row(0) = Eigen::RowVector3d(1.0, 0.0, 0.0) - model.step.row(1);
  model.step.row(2) = Eigen::RowVector3d(0.0, 0.0, 1.0) + damping * keep * model.compressed;
  model.noise << -dual_step, dual_step, damping;
  return model;
}

}  // namespace

MethodInfo cedas_info() {
  return {.name = "cedas",
          .aliases = {"lead"},
          .summary = "compressed exact diffusion (LEAD): no bias from heterogeneous data, one message",
          .equation = "x_i <- x_i - eta g_i - D_i, D_i <- D_i + (gamma/2) sum_j w_ij (yhat_i - yhat_j)",
          .bytes = "deg (|C| + 64)",
          .source = "Huang and Pu 2023, arXiv:2301.05872, Algorithm 1; LEAD: arXiv:2007.00232",
          .compressor = CompressorNeed::damped,
          .membership = Membership::reinitialise,
          .default_compressor = "dither(linf, bits=3, bucket=512)",
          .needs_symmetric_mixing = true,
          .options = {{option::consensus_step, 0.3}, {option::damping, 0.3}},
          .gossip_model = cedas_gossip_model,
          .manual = {.iteration =
                         "yhat_i = H_i + C(x_i - eta g_i - D_i - H_i); D_i <- D_i + (gamma/2) sum_j w_ij "
                         "(yhat_i - yhat_j); H_i <- H_i + a (yhat_i - H_i); x_i <- x_i - eta g_i - D_i",
                     .memory = "deg + 8",
                     .needs = "W symmetric; C unbiased, or a mild contraction with a = 1; gamma small enough",
                     .related = "Liu et al. 2021, Algorithm 1"},
          .make = factory<Cedas>()};
}

}  // namespace hearsay

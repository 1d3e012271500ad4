#include "algorithms/methods/deep_squeeze.hpp"

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
DeepSqueeze<Scalar>::DeepSqueeze(const MethodInput<Scalar>& input)
    : compressor_(make_compressor<Scalar>(input.compressor, input.segments)),
      consensus_step_(input.options[option::consensus_step]),
      x_(input.initial),
      error_(Vector<Scalar>::Zero(input.initial.size())),
      corrected_(input.initial.size()),
      own_said_(input.initial.size()),
      heard_(input.initial.size()),
      local_(input) {}

template <class Scalar>
Task DeepSqueeze<Scalar>::iterate(Iteration<Scalar>& it) {
  // gradient: g_i = grad F_i(x_i; xi_i);  x_i <- x_i - eta g_i, or H local steps
  co_await local_.steps(it, x_);
  local_.add_to(x_);

  // compress: v_i = x_i + e_i;  c_i = C(v_i), encoded once, sent to every neighbor;  e_i <- v_i - c_i
  corrected_ = x_ + error_;
  own_said_.setZero();
  PacketBuffer buffer = it.new_packet();
  RandomStream random = it.random(Purpose::compression);
  it.report(
      compressor_->encode_and_apply({view(std::as_const(corrected_)), random}, buffer, view(own_said_)));
  const Slot slot = it.post(std::move(buffer).seal());
  error_ = corrected_ - own_said_;

  // consensus: x_i <- x_i + gamma sum_j w_ij (c_j - c_i)
  const std::span<const PacketRef> packets = co_await it.collect(slot);
  const std::vector<WeightedNeighbor>& neighbors = it.mixing().hears;
  for (std::size_t j = 0; j < neighbors.size(); ++j) {
    if (!packets[j]) continue;  // without a message the weight stays with c_i
    heard_.setZero();
    it.report(compressor_->accumulate(packets[j]->bytes(), 1, view(heard_)));
    x_ += static_cast<Scalar>(consensus_step_) * static_cast<Scalar>(neighbors[j].weight) *
          (heard_ - own_said_);
  }
}

template <class Scalar>
void DeepSqueeze<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("error", error_);
  visitor.scratch("corrected", corrected_);
  visitor.scratch("own said", own_said_);
  visitor.scratch("heard", heard_);
  local_.visit(visitor);
}

template <class Scalar>
Traffic DeepSqueeze<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return compressed_traffic(rows.at(number - 1), *compressor_, x_.size());
}

namespace {

/// Without gradients the state is s = (x, e):  v = x + e,  c = keep v + noise,  x' = x - gamma mu c,  e' = v
/// - c.
GossipModel deep_squeeze_gossip_model(const MethodOptions& options, double keep, double mu) {
  const double a = options[option::consensus_step] * mu;
  GossipModel model;
  model.step.row(0) << 1.0 - a * keep, -a * keep, 0.0;
  model.step.row(1) << 1.0 - keep, 1.0 - keep, 0.0;
  model.noise << -a, -1.0, 0.0;
  model.compressed << 1.0, 1.0, 0.0;
  return model;
}

}  // namespace

MethodInfo deep_squeeze_info() {
  return {.name = "deep-squeeze",
          .summary = "error feedback on compressed models; no replicas, any schedule",
          .equation = "x_i <- x_i - eta g_i + gamma sum_j w_ij (c_j - c_i), c_i = C(x_i + e_i)",
          .bytes = "deg (|C| + 64)",
          .source = "Tang et al. 2019, arXiv:1907.07346, Algorithm 1",
          .compressor = CompressorNeed::contracting,
          .membership = Membership::exact,
          .may_be_joined = true,
          .default_compressor = "topk(10%)",
          .permits_time_varying = true,
          .options = {{option::consensus_step, 0.05}, {option::optimizer, "sgd"}, {option::local_steps, 1}},
          .gossip_model = deep_squeeze_gossip_model,
          .trials = {.with = {{.compressor = "topk(10%)",
                               .because = "as choco-sgd, without replicas: where there are many neighbors",
                               .iterations = 4.0}}},
          .manual = {.iteration = "x_i <- x_i - eta g_i; c_i = C(x_i + e_i); e_i <- x_i + e_i - c_i; x_i <- "
                                  "x_i + gamma sum_j w_ij (c_j - c_i)",
                     .memory = "6",
                     .needs = "W doubly stochastic; C contracting; a small gamma"},
          .make = factory<DeepSqueeze>()};
}

}  // namespace hearsay

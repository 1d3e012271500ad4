#include "algorithms/methods/comp_ams.hpp"

#include "algorithms/methods/parts/answers.hpp"
#include "algorithms/methods/parts/downlink.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
CompAms<Scalar>::CompAms(const MethodInput<Scalar>& input)
    : is_hub_(input.self == hub_id),
      compressor_(make_compressor<Scalar>(input.compressor, input.segments)),
      x_(input.initial),
      error_(input.initial.size()) {
  if (!is_hub_) return;
  optimizer_ = make_local_optimizer<Scalar>(input.options[option::optimizer], x_.size(), input.segments);
  mean_.resize(x_.size());
  if (!optimizer_->is_sgd()) step_.resize(x_.size());
}

template <class Scalar>
Task CompAms<Scalar>::iterate(Iteration<Scalar>& it) {
  // down: hub -> i: x
  if (is_hub_) {
    tell_model(it, x_);
  } else {
    const std::span<const PacketRef> packets = co_await it.collect(0);
    if (!hear_model(it, packets, x_)) co_return;
  }

  PacketRef answer;
  if (it.mixing().trains) {
    // up: c_i = C(g_i(x) + e_i);  e_i <- g_i(x) + e_i - c_i
    const Vector<Scalar>& gradient = co_await it.gradient(x_);
    Vector<Scalar>& error = error_.in(it);
    error += gradient;
    answer = encoded_packet(it, *compressor_, error, Purpose::compression, view(gradient));
    it.report(compressor_->accumulate(answer->bytes(), -1, view(error)));
  }
  if (!is_hub_) {
    it.post(answer);
    co_return;
  }

  // step: gbar = (1/r) sum_{i in S} c_i
  const std::span<const PacketRef> packets = co_await it.collect(0);
  const Scalar answers = sum_answers(it, *compressor_, answer, packets, mean_);
  if (answers == 0) co_return;
  mean_ *= 1 / answers;

  // x by the optimizer
  if (step_.size() == 0) {
    x_ -= it.step_size() * mean_;
  } else {
    optimizer_->step(x_, mean_, it.step_size(), step_);
    x_ += step_;
  }
}

template <class Scalar>
void CompAms<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  error_.visit(visitor);
  if (!is_hub_) return;
  optimizer_->visit_state(visitor);
  visitor.scratch("mean", mean_);
  if (step_.size() != 0) visitor.scratch("step", step_);
}

template <class Scalar>
Traffic CompAms<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return is_hub_ ? model_traffic(number, rows, view(x_).size_bytes())
                 : compressed_traffic(rows.at(number - 1), *compressor_, x_.size());
}

MethodInfo comp_ams_info() {
  return {
      .name = "comp-ams",
      .summary = "a hub: compressed gradients with error feedback, AMSGrad at the hub",
      .equation = "c_i = C(g_i + e_i), e_i <- g_i + e_i - c_i; x by AMSGrad from (1/r) sum_S c_i",
      .bytes = "hub r (4d + 64), worker |C| + 64",
      .source = "Li, Karimi, Li 2022, arXiv:2205.05632, Algorithm 2",
      .compressor = CompressorNeed::contracting,
      .membership = Membership::exact,
      .may_be_joined = true,
      .default_compressor = "topk(10%)",
      .default_step_size = 0.001,
      .pattern = Pattern::star,
      .permits_negative_weights = true,
      .permits_time_varying = true,
      .options = {{option::optimizer, "amsgrad(0.9, 0.999)"}},
      .trials = {.none_because = "its step size is far shorter than that of other methods: not tuned alike"},
      .manual = {.memory = "hub 8, worker 3", .needs = "a hub and workers; C contracting"},
      .make = factory<CompAms>()};
}

}  // namespace hearsay

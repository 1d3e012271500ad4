#include "algorithms/methods/quantized_adagrad.hpp"

#include "algorithms/arithmetic/square_roots.hpp"
#include "algorithms/methods/parts/answers.hpp"
#include "algorithms/methods/parts/sparse_model.hpp"
#include "algorithms/seam/method_factory.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

template <class Scalar>
QuantizedAdagrad<Scalar>::QuantizedAdagrad(const MethodInput<Scalar>& input, Form form)
    : is_hub_(input.self == hub_id),
      form_(form),
      regularizer_(input.regularizer),
      compressor_(make_compressor<Scalar>(input.compressor, input.segments)),
      x_(input.initial) {
  if (!regularizer_->is_separable())
    throw Misuse(
        "model.regularizer", regularizer_->spelling(),
        "AdaGrad has a step of its own for each coordinate, and this one needs a common one; expected "
        "l1, elastic-net, box or non-negative");
  if (!is_hub_) return;
  mean_.resize(x_.size());
  steps_.resize(x_.size());
  squares_.setZero(x_.size());
  if (form != Form::dual_averaging) return;
  dual_.setZero(x_.size());
  centre_ = x_;
}

template <class Scalar>
Task QuantizedAdagrad<Scalar>::iterate(Iteration<Scalar>& it) {
  // down: hub -> i: x
  if (is_hub_) {
    tell_sparse_model(it, x_);
  } else {
    const std::span<const PacketRef> packets = co_await it.collect(0);
    if (!hear_sparse_model(it, packets, x_)) co_return;
  }

  PacketRef answer;
  if (it.mixing().trains) {
    // up: c_i = C(g_i(x))
    const Vector<Scalar>& gradient = co_await it.gradient(x_);
    answer = encoded_packet(it, *compressor_, gradient, Purpose::compression);
  }
  if (!is_hub_) {
    it.post(answer);
    co_return;
  }

  // metric: gbar = (1/r) sum_{i in S} c_i;  G <- G + gbar^2;  M = delta + sqrt(G)
  const std::span<const PacketRef> packets = co_await it.collect(0);
  const Scalar answers = sum_answers(it, *compressor_, answer, packets, mean_);
  if (answers == 0) co_return;
  mean_ *= 1 / answers;
  constexpr Scalar delta = Scalar(1e-8);
  squares_ += mean_.cwiseAbs2();
  steps_ = it.step_size() / (delta + square_roots(squares_.array()));
  step(it.number());
}

template <class Scalar>
void QuantizedAdagrad<Scalar>::step(std::uint64_t number) {
  if (form_ == Form::mirror_descent) {
    // x <- prox_{eta h}^M (x - eta gbar / M)
    x_ -= steps_.cwiseProduct(mean_);
  } else {
    // z <- z + gbar;  x <- prox_{t eta h}^M (x_0 - eta z / M)
    dual_ += mean_;
    x_ = centre_ - steps_.cwiseProduct(dual_);
    steps_ *= static_cast<Scalar>(number);
  }
  regularizer_->prox_each(steps_, x_);
}

template <class Scalar>
void QuantizedAdagrad<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  if (!is_hub_) return;
  visitor.state("sum of squares", squares_);
  visitor.scratch("mean", mean_);
  visitor.scratch("steps", steps_);
  if (form_ != Form::dual_averaging) return;
  visitor.state("sum of gradients", dual_);
  visitor.state("centre", centre_);
}

template <class Scalar>
Traffic QuantizedAdagrad<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  if (!is_hub_) return compressed_traffic(rows.at(number - 1), *compressor_, x_.size());
  return gossip_traffic(rows.at(number - 1), number == 1 ? 0 : view(x_).size_bytes(), number == 1);
}

MethodInfo qcmd_adagrad_info() {
  return {
      .name = "qcmd-adagrad",
      .summary = "a hub: quantized gradients, AdaGrad by mirror descent on f + h",
      .equation =
          "G <- G + gbar^2, gbar = (1/r) sum_S C(g_i); x <- prox_{eta h}^M (x - eta gbar / M), M = sqrt(G)",
      .bytes = "hub r (4d + 64), or less if x has zeros; worker |C| + 64",
      .source = "Xu et al. 2022, arXiv:2208.05631 (reconstruction)",
      .compressor = CompressorNeed::unbiased,
      .membership = Membership::exact,
      .may_be_joined = true,
      .default_compressor = "dither(linf, levels=7, bucket=512)",
      .pattern = Pattern::star,
      .permits_negative_weights = true,
      .permits_time_varying = true,
      .answers_may_be_late = true,
      .composite = true,
      .trials = {.none_because = "qrda-adagrad keeps its zeros in spite of quantization"},
      .manual = {.memory = "hub 5, worker 2",
                 .needs = "a hub and workers; C unbiased; h a sum over coordinates",
                 .related = "AdaGrad: Duchi, Hazan, Singer 2011"},
      .make = factory<QcmdAdagrad>()};
}

MethodInfo qrda_adagrad_info() {
  MethodInfo info = qcmd_adagrad_info();
  info.name = "qrda-adagrad";
  info.summary =
      "a hub: quantized gradients, AdaGrad by dual averaging on f + h; sparse in spite of the noise";
  info.equation =
      "z <- z + gbar, gbar = (1/r) sum_S C(g_i); x <- prox_{t eta h}^M (x_0 - eta z / M), M as in qcmd";
  info.manual.memory = "hub 7, worker 2";
  info.make = factory<QrdaAdagrad>();
  info.trials = {.with = {{.compressor = "dither(linf, bits=4, bucket=512)",
                           .because = "for composite objectives, through a hub"}}};
  return info;
}

}  // namespace hearsay

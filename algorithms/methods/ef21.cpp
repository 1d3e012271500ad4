#include "algorithms/methods/ef21.hpp"

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/advice.hpp"
#include "algorithms/seam/method_factory.hpp"
#include "algorithms/seam/run_view.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace option {
const NumberOption control("control", {0.0, 1.0},
                           "kappa: the share of the accumulated error that is added to each message");
}  // namespace option

template <class Scalar>
Ef21<Scalar>::Ef21(const MethodInput<Scalar>& input)
    : is_hub_(input.self == hub_id),
      momentum_(static_cast<Scalar>(input.options.find(option::momentum).value_or(0.0))),
      x_(input.initial),
      uplink_(input, 1.0, HubKeeps::mean, Estimate::memories),
      control_(static_cast<Scalar>(input.options.find(option::control).value_or(0.0))),
      difference_(input.initial.size()),
      downlink_(input, input.options.has(option::down_compressor) ? HubShares::packets : HubShares::vector) {
  if (momentum_ != 0) tracked_.setZero(x_.size());
  if (input.options.has(option::control)) error_.emplace(x_.size());
  if (!uplink_.place().is_worker()) mean_.resize(x_.size());
  if (!input.options.has(option::down_compressor)) return;
  down_compressor_ = make_compressor<Scalar>(input.options[option::down_compressor], input.segments);
  common_.setZero(x_.size());
  optimizer_ = make_local_optimizer<Scalar>(input.options.find(option::optimizer).value_or("sgd"), x_.size(),
                                            input.segments);
  if (!optimizer_->is_sgd()) step_.resize(x_.size());
}

/// ht <- ht + c;  x <- x - eta ht, or by the optimizer
template <class Scalar>
CodecStatus Ef21<Scalar>::take_step(std::span<const std::byte> c, Scalar step_size) {
  const CodecStatus status = down_compressor_->accumulate(c, 1, view(common_));
  if (step_.size() == 0) {
    x_ -= step_size * common_;
  } else {
    optimizer_->step(x_, common_, step_size, step_);
    x_ += step_;
  }
  return status;
}

/// q_i = C(g_i - h_i + kappa e_i);  h_i <- h_i + q_i;  e_i <- e_i + g_i - h_i, the new h_i
template <class Scalar>
PacketRef Ef21<Scalar>::answer_with_error(Iteration<Scalar>& it, const Vector<Scalar>& gradient) {
  Vector<Scalar>& error = error_->in(it);
  uplink_.subtract_memory(gradient + control_ * error, difference_);
  error += difference_ - control_ * error;  // e_i + g_i - the old h_i
  PacketRef answer = uplink_.answer(it, difference_);
  it.report(uplink_.compressor().accumulate(answer->bytes(), -1, view(error)));
  return answer;
}

template <class Scalar>
Task Ef21<Scalar>::iterate(Iteration<Scalar>& it) {
  // down: x; or c of the last round
  const auto last_step = [&](std::span<const std::byte> c, std::uint64_t number) {
    return take_step(c, it.step_size_of(number));
  };
  const bool heard = co_await downlink_.share(it, x_, last_step);
  if (!heard) co_return;

  PacketRef answer;
  if (it.mixing().trains) {
    // up: v_i <- beta v_i + (1 - beta) g_i(x);  q_i = C(v_i - h_i);  h_i <- h_i + q_i
    const Vector<Scalar>& gradient = co_await it.gradient(x_);
    if (tracked_.size() != 0) tracked_ = momentum_ * tracked_ + (1 - momentum_) * gradient;
    if (error_) {
      answer = answer_with_error(it, gradient);
    } else {
      uplink_.subtract_memory(tracked_.size() != 0 ? tracked_ : gradient, difference_);
      answer = uplink_.answer(it, difference_);
    }
  }

  // group: Q_j = C(s_j - H_j);  H_j <- H_j + Q_j
  // step: hbar <- hbar + (1/n) sum_{i in S} q_i
  co_await uplink_.gather(it, answer, mean_);
  if (!is_hub_) co_return;

  // ef21: x <- x - eta hbar
  if (!compresses_down()) {
    x_ -= it.step_size() * mean_;
    co_return;
  }

  // ef21-bc, cd-adam: c = C_dwn(hbar - ht);  ht <- ht + c;  x <- x - eta ht, or by the optimizer
  mean_ -= common_;
  const PacketRef c = encoded_packet(it, *down_compressor_, mean_, Purpose::downlink);
  it.report(take_step(c->bytes(), it.step_size()));
  downlink_.say(c->bytes());
}

template <class Scalar>
void Ef21<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  uplink_.visit(visitor);
  if (error_) error_->visit(visitor);
  if (tracked_.size() != 0) visitor.state("tracked gradient", tracked_);
  visitor.scratch("difference", difference_);
  if (mean_.size() != 0) visitor.scratch("mean", mean_);
  downlink_.visit(visitor);
  if (!compresses_down()) return;
  visitor.state("common gradient", common_);
  optimizer_->visit_state(visitor);
  if (step_.size() != 0) visitor.scratch("step", step_);
}

template <class Scalar>
Traffic Ef21<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  const Traits c =
      compresses_down() ? down_compressor_->traits(static_cast<std::size_t>(x_.size())) : Traits{};
  return uplink_.traffic(number, rows, x_.size(), downlink_.traffic(number, rows, c, view(x_).size_bytes()));
}

MethodInfo ef21_info() {
  return {.name = "ef21",
          .summary = "a hub: memories follow the workers' gradients through any contraction; no floor",
          .equation = "h_i <- h_i + C(v_i - h_i), v_i <- b v_i + (1 - b) g_i; x <- x - eta mean_i h_i",
          .bytes = "hub r (4d + 64), worker |C| + 64",
          .source = "Richtarik et al. 2021, arXiv:2106.05203, Algorithm 2",
          .compressor = CompressorNeed::contracting,
          .membership = Membership::forgotten,
          .default_compressor = "topk(10%)",
          .pattern = Pattern::star,
          .permits_negative_weights = true,
          .permits_time_varying = true,
          .permits_tree = true,
          .options = {{option::momentum, 0.0}},
          .trials = {.none_because = "ef21-bc, whose hub compresses, too, is tried"},
          .manual = {.memory = "hub 6 (drop: n + 4), worker 4",
                     .needs = "a hub and workers; C contracting",
                     .related = "momentum: Fatkhullin et al. 2023, arXiv:2305.15155"},
          .make = factory<Ef21>()};
}

MethodInfo econtrol_info() {
  MethodInfo info = ef21_info();
  info.name = "econtrol";
  info.summary = "a hub: ef21, with a share of the accumulated error in every message";
  info.equation = "h_i <- h_i + C(g_i - h_i + k e_i); e_i <- e_i + g_i - h_i; x <- x - eta mean_i h_i";
  info.source = "Gao, Islamov, Stich 2024, arXiv:2311.05645, Algorithm 2";
  info.permits_tree = false;
  info.options = {{option::control, 0.1}};
  info.manual = {.memory = "hub 7 (drop: n + 5), worker 5", .needs = "a hub and workers; C contracting"};
  info.trials = {.none_because = "as ef21; what it gains with small batches was not measured"};
  return info;
}

MethodInfo ef21_bc_info() {
  MethodInfo info = ef21_info();
  info.name = "ef21-bc";
  info.summary = "a hub: ef21 in both directions";
  info.equation = "h_i <- h_i + C(g_i - h_i); H <- H + C_dwn(mean_i h_i - H); x <- x - eta H";
  info.bytes = "hub r (|C_dwn| + 64), worker |C| + 64";
  info.source = "Fatkhullin et al. 2021, arXiv:2110.03294, Algorithm 5";
  info.down_compressor = CompressorNeed::contracting;
  info.permits_time_varying = false;
  info.options.set(option::down_compressor, "topk(10%)");
  info.manual.memory = "hub 7 (drop: n + 5), worker 5";
  info.manual.needs = "a hub and workers, all in every round; both compressors contracting";
  info.trials = {.with = {{.compressor = "topk(10%)",
                           .because = "as artemis, with the largest entries",
                           .iterations = 1.2,
                           .options = {{option::down_compressor, "topk(10%)"}}}}};
  return info;
}

namespace {

/// Warns of a long step of CD-Adam: measured on a9a, its compressed runs blow up for hundreds of rounds from
/// 0.03 on, at a tenth of what it takes uncompressed.
void check_adam_step(const RunView& view, Advice& advice) {
  constexpr double longest = 0.02;
  const bool lossy = view.compressor != "none" || view.options[option::down_compressor] != "none";
  if (lossy && view.step_size > longest && view.options[option::optimizer].starts_with("a"))
    advice.warn("algorithm.step_size = " + number_text(view.step_size) +
                ": with compression cd-adam takes about a tenth of the steps that it takes without; expected "
                "0.005, or to watch the loss");
}

}  // namespace

MethodInfo cd_adam_info() {
  MethodInfo info = ef21_bc_info();
  info.name = "cd-adam";
  info.summary = "a hub: compressed differences both ways, AMSGrad at every worker, with one state";
  info.equation = "h_i <- h_i + C(g_i - h_i); H <- H + C_dwn(mean_i h_i - H); x by AMSGrad from H";
  info.source = "Wang, Lin, Chen 2022, arXiv:2111.00705, Algorithm 1";
  info.default_step_size = 0.005;
  info.options.set(option::optimizer, "amsgrad(0.9, 0.99)");
  info.check = check_adam_step;
  info.manual.memory = "hub 11 (drop: n + 9), worker 9";
  info.trials = {.none_because = "its step size is far shorter than that of other methods: not tuned alike"};
  return info;
}

}  // namespace hearsay

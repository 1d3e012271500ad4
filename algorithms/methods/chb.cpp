#include "algorithms/methods/chb.hpp"

#include <utility>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/methods/parts/answers.hpp"
#include "algorithms/methods/parts/downlink.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/advice.hpp"
#include "algorithms/seam/method_factory.hpp"
#include "algorithms/seam/run_view.hpp"

namespace hearsay {

namespace option {
const TextOption threshold("threshold", {.may_be_count = true, .may_be_number = true},
                           "eps_1: a worker sends an empty message while its gradient has changed by less "
                           "than sqrt(eps_1) times the model's "
                           "last step; `auto` is 0.1 / eta^2; 0: it always sends");
}  // namespace option

template <class Scalar>
Chb<Scalar>::Chb(const MethodInput<Scalar>& input)
    : is_hub_(input.self == hub_id),
      worker_count_(input.worker_count),
      threshold_(input.options[option::threshold]),
      momentum_(static_cast<Scalar>(input.options[option::momentum])),
      x_(input.initial),
      before_(input.initial),
      said_(Vector<Scalar>::Zero(input.initial.size())),
      change_(input.initial.size()),
      hub_keeps_each_(input.peers_may_leave) {
  if (!is_hub_) return;
  if (hub_keeps_each_) said_of_.emplace(input.neighbors, said_);
  mean_said_.setZero(x_.size());
  sum_.resize(x_.size());
}

/// Adds the dg of worker i to the sum, or, if the hub keeps each s_i, the new s_i.
template <class Scalar>
CodecStatus Chb<Scalar>::take(PeerId i, std::span<const std::byte> change) {
  bool fits = true;
  if (!hub_keeps_each_) {
    fits = change.empty() || add_full<Scalar>(change, 1, view(sum_));
  } else if (i == hub_id) {
    sum_ += said_;
  } else {
    Vector<Scalar>& said = said_of_->of(i);
    fits = change.empty() || add_full<Scalar>(change, 1, view(said));
    sum_ += said;
  }
  return fits ? CodecStatus::ok : CodecStatus::malformed;
}

template <class Scalar>
Task Chb<Scalar>::iterate(Iteration<Scalar>& it) {
  // down: hub -> i: x
  if (is_hub_) {
    tell_model(it, x_);
  } else {
    before_ = x_;
    const std::span<const PacketRef> packets = co_await it.collect(0);
    if (!hear_model(it, packets, x_)) co_return;
  }

  PacketRef answer;
  if (it.mixing().trains) {
    // censor: dg = g_i(x) - s_i;  silent iff t > 1 and ||dg||^2 <= eps_1 ||x - x'||^2
    const Vector<Scalar>& gradient = co_await it.gradient(x_);
    change_ = gradient - said_;
    const double moved = squared_distance(view(std::as_const(x_)), view(std::as_const(before_)));
    const bool silent = it.number() > 1 && squared_norm(view(std::as_const(change_))) <=
                                               threshold_.at(static_cast<double>(it.step_size())) * moved;

    // up: dg, or an empty message;  s_i <- s_i + dg, if it was sent
    answer = silent ? it.new_packet().seal() : full_packet(it, change_);
    if (!silent) said_ += change_;
  }
  if (!is_hub_) {
    it.post(answer);
    co_return;
  }

  // step: sbar <- sbar + (1/n) sum dg;  x, x' <- x - eta sbar + beta (x - x'), x
  const std::span<const PacketRef> packets = co_await it.collect(0);
  sum_.setZero();
  const Scalar answers = take_answers(
      it, answer, packets, [&](PeerId i, std::span<const std::byte> bytes) { return take(i, bytes); });
  if (!hub_keeps_each_)
    mean_said_ += sum_ / static_cast<Scalar>(worker_count_);
  else if (answers != 0)
    mean_said_ = sum_ / answers;
  sum_ = x_ - it.step_size() * mean_said_ + momentum_ * (x_ - before_);
  before_ = x_;
  x_ = sum_;
}

template <class Scalar>
void Chb<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("model before", before_);
  if (hub_keeps_each_ && !is_hub_)
    visitor.published("said", said_);
  else
    visitor.state("said", said_);
  visitor.scratch("change", change_);
  if (!is_hub_) return;
  visitor.state("mean said", mean_said_);
  if (said_of_) said_of_->visit(visitor, "said");
  visitor.scratch("sum", sum_);
}

template <class Scalar>
Traffic Chb<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  const std::uint64_t model_bytes = view(x_).size_bytes();
  return is_hub_ ? model_traffic(number, rows, model_bytes)
                 : gossip_traffic(rows.at(number - 1), model_bytes, number == 1);
}

namespace {

/// Warns of minibatches, which would defeat the censor.
void check_batch(const RunView& view, Advice& advice) {
  if (view.options[option::threshold] == "0" || !view.batch) return;
  advice.warn("algorithm.batch = " + std::to_string(*view.batch) +
              ": the noise of minibatches is a change, too, so " + view.method.name +
              "'s workers hardly ever stay silent; expected \"full\"");
}

}  // namespace

MethodInfo chb_info() {
  return {.name = "chb",
          .summary =
              "a hub: censored heavy ball; a worker whose gradient has hardly changed sends an empty message",
          .equation =
              "s_i <- g_i unless ||g_i - s_i||^2 <= e1 ||x - x'||^2; x <- x - eta mean_i s_i + b (x - x')",
          .bytes = "hub r (4d + 64), worker 4d + 64, or 64",
          .source = "Chen, Blum, Sadler 2022, arXiv:2209.11944, Algorithm 1",
          .compressor = CompressorNeed::none,
          .membership = Membership::forgotten,
          .default_batch = std::nullopt,
          .pattern = Pattern::star,
          .permits_negative_weights = true,
          .permits_time_varying = true,
          .options = {{option::momentum, 0.4}, {option::threshold, "auto"}},
          .check = check_batch,
          .unknown_sizes = [](const MethodOptions&) { return UnknownSizes{"the gradients"}; },
          .trials = {.none_because = "for full gradients only"},
          .manual = {.memory = "hub 7 (drop: n + 6), worker 5", .needs = "a hub and workers; full gradients"},
          .make = factory<Chb>()};
}

}  // namespace hearsay

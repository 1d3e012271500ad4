#include "algorithms/methods/fed_avg.hpp"

#include "algorithms/methods/parts/answers.hpp"
#include "algorithms/methods/parts/downlink.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

namespace option {
const NumberOption proximal(
    "proximal", {0.0, any_number},
    "mu: the proximal term (mu/2) ||y - x||^2 pulls local steps back to the hub's model x");
}  // namespace option

template <class Scalar>
FedAvg<Scalar>::FedAvg(const MethodInput<Scalar>& input)
    : is_hub_(input.self == hub_id),
      place_(input),
      proximal_(input.options.find(option::proximal).value_or(0.0)),
      compressor_(make_compressor<Scalar>(input.compressor, input.segments)),
      x_(input.initial),
      local_(input),
      change_(input.initial.size()) {
  if (proximal_ != 0.0) pulled_.resize(x_.size());
  if (!place_.is_worker()) sum_.resize(x_.size());
  if (!is_hub_) return;
  outer_.emplace(OuterRule::parse(input.options[option::outer]), x_.size());
}

template <class Scalar>
Task FedAvg<Scalar>::iterate(Iteration<Scalar>& it) {
  // down: hub -> i in S_t: x
  const bool heard = co_await share_model(it, place_, x_);
  if (!heard) co_return;

  PacketRef answer;
  if (it.mixing().trains) {
    // local: y_i = x;  H times: y_i <- y_i - eta g_i(y_i);  fed-prox: g_i(y_i) + mu (y_i - x)
    const auto pulled = [&](const Vector<Scalar>& gradient) -> const Vector<Scalar>& {
      if (pulled_.size() == 0) return gradient;
      return pulled_ = gradient + static_cast<Scalar>(proximal_) * (local_.point() - x_);
    };
    co_await local_.steps(it, x_, pulled);

    // up: i -> hub: c_i = C(y_i - x)
    change_.setZero();
    local_.add_to(change_);
    answer = encoded_packet(it, *compressor_, change_, Purpose::compression);
  }

  // group: j -> hub: C((m_j/r_j) sum_{i in S_j} c_i)
  const Scalar answers = co_await gather_sum(it, place_, *compressor_, answer, sum_);
  if (answers == 0) co_return;

  // step: x <- x + (rho/r) sum_{i in S_t} c_i
  sum_ *= -1 / place_.divisor(answers);
  outer_->apply(sum_, it.step_size(), x_);
}

template <class Scalar>
void FedAvg<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  local_.visit(visitor);
  if (pulled_.size() != 0) visitor.scratch("pulled gradient", pulled_);
  visitor.scratch("change", change_);
  if (sum_.size() != 0) visitor.scratch("sum", sum_);
  if (!is_hub_) return;
  outer_->visit(visitor);
}

template <class Scalar>
Traffic FedAvg<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  const MixingRow& row = rows.at(number - 1);
  const Traffic down = place_.to_below(row, number > 1 ? view(x_).size_bytes() : 0);
  return place_.with_answer(down, row, *compressor_, x_.size());
}

namespace {

/// What the three methods have in common.
MethodInfo fed_avg_family() {
  return {.name = {},
          .summary = {},
          .equation = "y_i = x after H local steps; x <- x + (rho/r) sum_{i in S} (y_i - x)",
          .bytes = "hub r (4d + 64), worker 4d + 64",
          .source = {},
          .compressor = CompressorNeed::none,
          .membership = Membership::exact,
          .may_be_joined = true,
          .pattern = Pattern::star,
          .permits_negative_weights = true,
          .permits_time_varying = true,
          .answers_may_be_late = true,
          .permits_tree = true,
          .options = {{option::optimizer, "sgd"}, {option::local_steps, 10}, {option::outer, "none(1)"}},
          .manual = {.memory = "hub 5, worker 4", .needs = "a hub and workers"},
          .make = factory<FedAvg>()};
}

}  // namespace

MethodInfo fed_avg_info() {
  MethodInfo info = fed_avg_family();
  info.name = "fed-avg";
  info.aliases = {"fedavg"};
  info.summary = "a hub: H local steps at every worker, then the mean of their models";
  info.source = "McMahan et al. 2017, arXiv:1602.05629, Algorithm 1";
  info.trials = {
      .with = {{.because = "ten steps to a message, through a hub: where its port is faster than the others",
                .iterations = 0.2}}};
  return info;
}

MethodInfo fed_paq_info() {
  MethodInfo info = fed_avg_family();
  info.name = "fed-paq";
  info.aliases = {"fedpaq"};
  info.summary = "a hub: the change by H local steps is sent compressed, by a part of the workers";
  info.equation = "y_i = x after H local steps; x <- x + (rho/r) sum_{i in S} C(y_i - x)";
  info.bytes = "hub r (4d + 64), worker |C| + 64";
  info.source = "Reisizadeh et al. 2020, arXiv:1909.13014, Algorithm 1";
  info.compressor = CompressorNeed::unbiased;
  info.default_compressor = "dither(linf, levels=7, bucket=512)";
  info.manual.needs = "a hub and workers; C unbiased";
  info.trials = {.with = {{.compressor = "dither(linf, bits=4, bucket=512)",
                           .because = "fed-avg, and an eighth of the bytes to the hub",
                           .iterations = 0.2}}};
  return info;
}

MethodInfo fed_prox_info() {
  MethodInfo info = fed_avg_family();
  info.name = "fed-prox";
  info.aliases = {"fedprox"};
  info.summary = "a hub: fed-avg with a proximal term that pulls local steps back to the hub's model";
  info.equation = "y_i = x after H steps by g_i(y) + mu (y - x); x <- x + (rho/r) sum_{i in S} (y_i - x)";
  info.source = "Li et al. 2020, arXiv:1812.06127, Algorithm 2";
  info.options.set(option::proximal, 0.1);
  info.manual.memory = "hub 6, worker 5";
  info.trials = {.none_because = "where it beats fed-avg, scaffold beats both"};
  return info;
}

}  // namespace hearsay

#include "algorithms/methods/dpsvrg.hpp"

#include <algorithm>
#include <cmath>

#include "algorithms/seam/advice.hpp"
#include "algorithms/seam/method_factory.hpp"
#include "algorithms/seam/run_view.hpp"

namespace hearsay {

namespace option {
const TextOption estimator("estimator", {{"svrg", "loopless-svrg", "saga"}},
                           "how stochastic gradients are corrected; `saga` and `loopless-svrg` have no "
                           "epochs, and refuse the keys of epochs");
const CountOption inner_length("inner_length", {1}, "n_0: steps of the first epoch");
const NumberOption inner_growth("inner_growth", {1.0, 16.0},
                                "how much longer each epoch is than the one before");
const TextOption snapshot("snapshot", {{"last", "average"}}, "where an epoch's full gradient is taken");
const TextOption consensus("consensus", {.may_be_count = true},
                           "c(k): gossip rounds of the k-th step of an epoch");
const TextOption gossip("gossip", {{"plain", "chebyshev"}}, "how these gossip rounds mix");
const TextOption prox_order("prox_order", {{"mix-then-prox", "prox-then-mix"}},
                            "whether the proximal map comes after or before the gossip rounds");
}  // namespace option

namespace {

/// The e of FastMix: (1 - sqrt(1 - rho^2)) / (1 + sqrt(1 - rho^2))
double acceleration_for(double rho) {
  const double root = std::sqrt(std::max(0.0, 1.0 - rho * rho));
  return (1.0 - root) / (1.0 + root);
}

/// The length of an epoch that never ends.
constexpr std::uint64_t endless = 1'000'000'000'000'000;

/// Returns the options that the estimator does not read: only svrg has epochs that grow, and saga takes no
/// snapshots.
UnreadOptions unread_options(const MethodOptions& options) {
  const std::string because_of = "estimator = " + options[option::estimator];
  if (options[option::estimator] == "saga")
    return {{&option::inner_length, &option::inner_growth, &option::snapshot}, because_of};
  if (options[option::estimator] == "loopless-svrg")
    return {{&option::inner_growth, &option::snapshot}, because_of};
  return {};
}

}  // namespace

template <class Scalar>
auto Dpsvrg<Scalar>::estimator_of(const MethodOptions& options) -> Estimator {
  if (options[option::estimator] == "saga") return Estimator::saga;
  return options[option::estimator] == "svrg" ? Estimator::svrg : Estimator::loopless_svrg;
}

template <class Scalar>
EpochPlan Dpsvrg<Scalar>::plan_of(const MethodOptions& options) {
  const ConsensusRule consensus = ConsensusRule::parse(options[option::consensus]);
  if (estimator_of(options) != Estimator::svrg) return {endless, 1.0, consensus};
  return {options[option::inner_length], options[option::inner_growth], consensus};
}

template <class Scalar>
Dpsvrg<Scalar>::Dpsvrg(const MethodInput<Scalar>& input)
    : regularizer_(input.regularizer),
      estimator_(estimator_of(input.options)),
      plan_(plan_of(input.options)),
      first_length_(input.options.find(option::inner_length).value_or(endless)),
      mixes_first_(input.options[option::prox_order] == "mix-then-prox"),
      acceleration_(static_cast<Scalar>(acceleration_for(input.rho))),
      x_(input.initial),
      estimate_(input.initial.size()),
      step_(input.initial.size()),
      mixed_(input.initial.size()) {
  if (input.options[option::gossip] == "chebyshev") before_.resize(x_.size());
  if (estimator_ != Estimator::saga) {
    snapshot_ = input.initial;
    full_gradient_.setZero(x_.size());
  }
  if (estimator_ == Estimator::svrg && input.options[option::snapshot] == "average") sum_.setZero(x_.size());
}

template <class Scalar>
bool Dpsvrg<Scalar>::draws_snapshot(const Iteration<Scalar>& it) const {
  return estimator_ == Estimator::loopless_svrg &&
         it.common_random(Purpose::decision).below(first_length_) == 0;
}

/// True if the iteration after `number` corrects its gradient by the snapshot that there is now.
template <class Scalar>
bool Dpsvrg<Scalar>::keeps_snapshot_after(std::uint64_t number) const {
  return estimator_ != Estimator::saga && plan_.at(number + 1).step > 1;
}

/// xt_i <- x_i, or the mean of the last epoch's iterates, which were `length`
template <class Scalar>
void Dpsvrg<Scalar>::move_snapshot(std::uint64_t length) {
  if (sum_.size() == 0 || length == 0) {
    snapshot_ = x_;
    return;
  }
  snapshot_ = sum_ / static_cast<Scalar>(length);
  sum_.setZero();
}

template <class Scalar>
Task Dpsvrg<Scalar>::iterate(Iteration<Scalar>& it) {
  const EpochPlan::Position position = plan_.at(it.number());

  if (estimator_ == Estimator::saga && it.sample_count() == 0) {
    // estimate: v_i = grad f_i(x_i), since a peer without samples has nothing to draw
    const Vector<Scalar>& full = co_await it.full_gradient(x_);
    estimate_ = full;
  } else if (estimator_ == Estimator::saga) {
    // estimate: v_i = mean of the table + (1/|xi|) sum over the minibatch xi of (gradient - its table entry)
    co_await table_.estimate(it, x_, estimate_);
  } else {
    // snapshot: xt_i <- x_i, or the mean of the last epoch's iterates;  m_i = grad f_i(xt_i)
    if (position.step == 1) {
      move_snapshot(position.previous_length);
      const Vector<Scalar>& full = co_await it.full_gradient(snapshot_);
      full_gradient_ = full;
    }
    // estimate: v_i = grad f_i(x_i; xi) - grad f_i(xt_i; xi) + m_i
    const Vector<Scalar>& there = co_await it.gradient(snapshot_);
    estimate_ = there;
    const Vector<Scalar>& here = co_await it.gradient(x_);
    estimate_ = (here - estimate_) + full_gradient_;
    // loopless: with probability 1/n_0, xt_i <- x_i, the point before the step, for the next iterations
    if (draws_snapshot(it)) {
      snapshot_ = x_;
      const Vector<Scalar>& full = co_await it.full_gradient(snapshot_);
      full_gradient_ = full;
    }
  }

  // step: q_i = x_i - eta v_i
  step_ = x_ - it.step_size() * estimate_;
  if (!mixes_first_) regularizer_->prox(it.step_size(), step_);

  // mix: c(k) times  q_i <- sum_j w_ij q_j, or FastMix's  y_{r+1} = W y_r + e (W y_r - y_{r-1})
  if (before_.size() != 0) before_ = step_;
  for (std::uint64_t round = 0; round < position.rounds; ++round) {
    it.turn_to(position.rounds_before + round);
    const Slot slot = it.post(it.lent_packet(step_));
    mixing_.begin_mixing(it, slot, step_, 1.0, mixed_);
    if (round == 0 && keeps_snapshot_after(it.number())) co_await it.gradient_ahead(snapshot_);
    const std::span<const PacketRef> packets = co_await it.collect(slot);
    it.report(mixing_.finish(it.mixing(), packets));
    if (before_.size() != 0) {
      mixed_ += acceleration_ * (mixed_ - before_);
      before_.swap(step_);
    }
    step_.swap(mixed_);
  }

  // prox: x_i <- prox_{eta h}(q_i)
  x_ = step_;
  if (mixes_first_) regularizer_->prox(it.step_size(), x_);
  if (sum_.size() != 0) sum_ += x_;
}

template <class Scalar>
void Dpsvrg<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  if (estimator_ == Estimator::saga) {
    table_.visit(visitor);
  } else {
    visitor.state("snapshot", snapshot_);
    visitor.state("full gradient", full_gradient_);
  }
  if (sum_.size() != 0) visitor.state("sum of iterates", sum_);
  visitor.scratch("estimate", estimate_);
  visitor.scratch("step", step_);
  visitor.scratch("mixed", mixed_);
  if (before_.size() != 0) visitor.scratch("before", before_);
}

template <class Scalar>
Traffic Dpsvrg<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  const EpochPlan::Position position = plan_.at(number);
  return traffic_of(messages_in(position.rounds_before, position.rounds_before + position.rounds, rows));
}

/// Every period of the schedule has the same rounds, in any order.
template <class Scalar>
std::optional<Traffic> Dpsvrg<Scalar>::traffic_up_to(std::uint64_t last, const PeerRows& rows) const {
  if (!rows.period()) return std::nullopt;
  const EpochPlan::Position position = plan_.at(last);
  const std::uint64_t rounds = position.rounds_before + position.rounds;
  const std::uint64_t periods = rounds / *rows.period();
  const std::uint64_t of_a_period = periods == 0 ? 0 : messages_in(0, *rows.period(), rows);
  return traffic_of(periods * of_a_period + messages_in(periods * *rows.period(), rounds, rows));
}

template <class Scalar>
std::uint64_t Dpsvrg<Scalar>::messages_in(std::uint64_t begin, std::uint64_t end, const PeerRows& rows) {
  std::uint64_t messages = 0;
  for (std::uint64_t round = begin; round < end; ++round) messages += rows.at(round).heard_by.size();
  return messages;
}

template <class Scalar>
Traffic Dpsvrg<Scalar>::traffic_of(std::uint64_t messages) const {
  return {messages, messages * view(x_).size_bytes()};
}

std::uint64_t gradient_table_bytes(const RunView& view) {
  if (view.options.find(option::estimator) != "saga") return 0;
  return view.samples * view.dimension * view.scalar_bytes;
}

namespace {

void check_estimator(const RunView& view, Advice& advice) {
  const std::string& gossip = view.options[option::gossip];
  if (gossip == "chebyshev" && (view.links_vary() || !view.mixing.symmetric()))
    advice.refuse("algorithm.gossip", gossip,
                  "it needs one symmetric mixing matrix for all rounds; expected plain, or another "
                  "topology.schedule, topology.participation or topology.weights");
  const auto bytes = static_cast<double>(gradient_table_bytes(view));
  constexpr double plenty = 1e9;
  if (bytes > plenty)
    advice.warn("algorithm.estimator = saga: a gradient of every sample is kept, " +
                std::to_string(std::llround(bytes / 1e6)) +
                " MB at all peers together; loopless-svrg keeps none");
}

}  // namespace

MethodInfo dpsvrg_info() {
  return {.name = "dpsvrg",
          .summary = "variance-reduced proximal gradients with several gossip rounds per step",
          .equation = "x_i <- prox_{eta h}(W^c(k) (x - eta v)_i), v_i = g_i(x_i) - g_i(xt_i) + m_i",
          .bytes = "c(k) deg (4d + 64)",
          .source = "Li et al. 2021, arXiv:2112.10389, Algorithm 1 (reconstruction)",
          .compressor = CompressorNeed::none,
          .membership = Membership::exact,
          .permits_negative_weights = true,
          .permits_time_varying = true,
          .counts_rounds = true,
          .needs_all_samples = true,
          .composite = true,
          .unclippable_because =
              "it corrects a gradient by the difference of two others, and clipped ones no "
              "longer cancel",
          .options = {{option::estimator, "svrg"},
                      {option::inner_length, 1000},
                      {option::inner_growth, 1.2},
                      {option::snapshot, "last"},
                      {option::consensus, "min(k, 20)"},
                      {option::gossip, "plain"},
                      {option::prox_order, "mix-then-prox"}},
          .unread_options = unread_options,
          .check = check_estimator,
          .reads_rho = [](const MethodOptions& options) { return options[option::gossip] == "chebyshev"; },
          .trials = {.with = {{.because = "for composite objectives, with corrected gradients"}}},
          .manual = {.overlap = Overlap::some,
                     .iteration = "v_i = g_i(x_i) - g_i(xt_i) + grad f_i(xt_i); q = x - eta v; c(k) times "
                                  "q_i <- sum_j w_ij q_j; x_i <- prox_{eta h}(q_i)",
                     .memory = "7",
                     .needs = "W doubly stochastic"},
          .make = factory<Dpsvrg>()};
}

}  // namespace hearsay

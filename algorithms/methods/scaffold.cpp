#include "algorithms/methods/scaffold.hpp"

#include "algorithms/methods/parts/answers.hpp"
#include "algorithms/methods/parts/downlink.hpp"
#include "algorithms/methods/parts/outer_rule.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

double server_step_of(const MethodOptions& options) {
  const OuterRule outer = OuterRule::parse(options[option::outer]);
  if (outer.kind != OuterRule::Kind::none)
    throw Misuse("algorithm.outer", options[option::outer],
                 "scaffold's hub keeps no momentum; expected none(rho), such as none(1)");
  return outer.rate;
}

}  // namespace

template <class Scalar>
Scaffold<Scalar>::Scaffold(const MethodInput<Scalar>& input)
    : is_hub_(input.self == hub_id),
      place_(input),
      worker_count_(static_cast<Scalar>(input.worker_count)),
      local_steps_(input.options[option::local_steps]),
      server_step_(static_cast<Scalar>(server_step_of(input.options))),
      x_(input.initial),
      control_(Vector<Scalar>::Zero(input.initial.size())),
      own_control_(Vector<Scalar>::Zero(input.initial.size())),
      point_(input.initial.size()),
      change_(input.initial.size()),
      hub_keeps_each_(input.peers_may_leave) {
  if (!place_.is_worker()) sum_.resize(x_.size());
  if (is_hub_ && hub_keeps_each_) {
    controls_.emplace(input.neighbors, own_control_);
    sum_of_controls_.resize(x_.size());
  }
  if (input.has_groups && input.links_vary && !place_.is_worker()) counts_.resize(2);
}

/// Adds what one peer answers to `sum_`, and n_j / r_j times that to `change_`. Returns r_j, the number of
/// workers that it is the sum of: 1, unless a head says otherwise.
template <class Scalar>
Scalar Scaffold<Scalar>::take(Iteration<Scalar>& it, std::span<const std::byte> bytes) {
  const std::size_t vector_bytes = view(x_).size_bytes();
  Scalar workers = 1, scale = 1;
  if (counts_.size() != 0 && bytes.size() > vector_bytes) {
    if (!read_full<Scalar>(bytes.subspan(vector_bytes), view(counts_)) || !(counts_[0] > 0)) {
      it.report(CodecStatus::malformed);
      return 0;
    }
    workers = counts_[0];
    scale = counts_[1] / workers;
    bytes = bytes.first(vector_bytes);
  }
  if (!add_full<Scalar>(bytes, 1, view(sum_))) {
    it.report(CodecStatus::malformed);
    return 0;
  }
  if (counts_.size() != 0 && is_hub_) add_full<Scalar>(bytes, scale, view(change_));
  return workers;
}

/// Adds y_i - x of worker i to `sum_`, and its new c_i to `sum_of_controls_`.
template <class Scalar>
CodecStatus Scaffold<Scalar>::follow(PeerId i, std::span<const std::byte> bytes, Scalar step_size) {
  if (!read_full<Scalar>(bytes, view(change_))) return CodecStatus::malformed;
  sum_ += change_;
  Vector<Scalar>& control = i == hub_id ? own_control_ : controls_->of(i);
  if (i != hub_id && step_size != 0) {
    const Scalar per_step = 1 / (static_cast<Scalar>(local_steps_) * step_size);
    control = (control - control_) - per_step * change_;
  }
  sum_of_controls_ += control;
  return CodecStatus::ok;
}

template <class Scalar>
bool Scaffold<Scalar>::hear(Iteration<Scalar>& it, std::span<const PacketRef> packets) {
  if (packets.empty() || !packets.front()) return false;
  const std::span<const std::byte> bytes = packets.front()->bytes();
  if (it.number() == 1 && bytes.empty()) return true;
  const std::size_t half = bytes.size() / 2;
  if (!read_full<Scalar>(bytes.first(half), view(x_)) ||
      !read_full<Scalar>(bytes.subspan(half), view(control_)))
    it.report(CodecStatus::malformed);
  return true;
}

template <class Scalar>
Task Scaffold<Scalar>::iterate(Iteration<Scalar>& it) {
  // down: hub -> i in S_t: x, c
  if (is_hub_) {
    it.post(model_packet(it, x_, control_));
  } else {
    const std::span<const PacketRef> packets = co_await it.collect(0, it.number(), place_.above);
    if (!hear(it, packets)) co_return;
    place_.pass_on(it, 0, packets);
  }

  PacketRef answer;
  if (it.mixing().trains) {
    // local: y_i = x;  H times: y_i <- y_i - eta (g_i(y_i) - c_i + c)
    point_ = x_;
    for (std::uint64_t h = 0; h < local_steps_; ++h) {
      if (h > 0) it.next_minibatch();
      const Vector<Scalar>& gradient = co_await it.gradient(point_);
      point_ -= it.step_size() * ((gradient - own_control_) + control_);
    }

    // up: y_i - x
    change_ = point_ - x_;
    answer = full_packet(it, change_);

    // follow: c_i <- c_i - c + (x - y_i) / (H eta)
    if (it.step_size() != 0) {
      const Scalar per_step = 1 / (static_cast<Scalar>(local_steps_) * it.step_size());
      own_control_ = (own_control_ - control_) - per_step * change_;
    }
  }
  if (place_.is_worker()) {
    it.post(answer);
    co_return;
  }

  // group: sum_{i in S of group j} (y_i - x)
  const std::span<const PacketRef> packets = co_await place_.answers(it);
  sum_.setZero();
  if (counts_.size() != 0) change_.setZero();
  if (controls_) sum_of_controls_.setZero();
  Scalar workers = 0;
  const Scalar answers = take_answers(it, answer, packets, [&](PeerId i, std::span<const std::byte> bytes) {
    if (controls_) return follow(i, bytes, it.step_size());
    workers += take(it, bytes);
    return CodecStatus::ok;
  });
  if (place_.is_head()) {
    if (counts_.size() == 0) {
      it.send(0, place_.above.front(), full_packet(it, sum_));
    } else {
      counts_ << answers, static_cast<Scalar>(1 + place_.below.size());  // r_j, n_j
      it.send(0, place_.above.front(), full_packet(it, sum_, counts_));
    }
    co_return;
  }

  // step: x <- x + (rho/r) sum_{S} (y_i - x);  c <- c + (1/n) sum_{S} (-c + (x - y_i) / (H eta))
  const Scalar n = worker_count_;
  const Scalar divisor = place_.divisor(answers);
  if (answers == 0 || it.step_size() == 0) co_return;  // steps of length 0 tell nothing of the gradients
  if (controls_) {
    control_ = sum_of_controls_ / answers;
  } else {
    const Scalar per_step = 1 / (static_cast<Scalar>(local_steps_) * it.step_size());
    const Scalar in_round = counts_.size() == 0 ? divisor : workers;
    control_ -= (in_round / n) * control_ + (per_step / n) * sum_;
  }
  x_ += (server_step_ / divisor) * (counts_.size() == 0 ? sum_ : change_);
}

template <class Scalar>
void Scaffold<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("control", control_);
  if (hub_keeps_each_ && !is_hub_)
    visitor.published("own control", own_control_);
  else
    visitor.state("own control", own_control_);
  if (controls_) {
    controls_->visit(visitor, "own control");
    visitor.scratch("sum of controls", sum_of_controls_);
  }
  visitor.scratch("local point", point_);
  visitor.scratch("change", change_);
  if (sum_.size() != 0) visitor.scratch("sum", sum_);
  if (counts_.size() != 0) visitor.scratch("counts", counts_);
}

template <class Scalar>
Traffic Scaffold<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  const std::uint64_t model_bytes = view(x_).size_bytes();
  const MixingRow& row = rows.at(number - 1);
  const std::uint64_t count_bytes = place_.is_head() ? view(counts_).size_bytes() : 0;
  return place_.with_answer(place_.to_below(row, number > 1 ? 2 * model_bytes : 0), row,
                            model_bytes + count_bytes, true);
}

MethodInfo scaffold_info() {
  return {.name = "scaffold",
          .summary = "a hub: local steps corrected by how the workers' gradients differ, so without a drift",
          .equation = "H times y_i <- y_i - eta (g_i - c_i + c); x <- x + (rho/r) sum_S (y_i - x)",
          .bytes = "hub r (8d + 64), worker 4d + 64",
          .source = "Karimireddy et al. 2020, arXiv:1910.06378, Algorithm 1",
          .compressor = CompressorNeed::none,
          .membership = Membership::forgotten,
          .pattern = Pattern::star,
          .permits_negative_weights = true,
          .permits_time_varying = true,
          .permits_tree = true,
          .options = {{option::local_steps, 10}, {option::outer, "none(1)"}},
          .manual = {.iteration = "H times y_i <- y_i - eta (g_i - c_i + c); c_i <- c_i - c + (x - y_i)/(H "
                                  "eta); x <- x + (rho/r) sum_S (y_i - x); c the mean of all c_i",
                     .memory = "hub 7 (drop: n + 7), worker 6",
                     .needs = "a hub and workers"},
          .make = factory<Scaffold>()};
}

}  // namespace hearsay

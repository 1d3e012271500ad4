#include "algorithms/methods/streaming_diloco.hpp"

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace option {
const CountOption fragments(
    "fragments", {1}, "F: parts of the model, reduced one after the other in a round; F divides local_steps");
const CountOption overlap(
    "overlap", {0},
    "tau: local steps that are taken while a fragment's sum travels; less than local_steps / fragments");
const NumberOption own_share("own_share", {0.0, 1.0},
                             "alpha: the weight of the peer's own model when a fragment's sum has arrived");
}  // namespace option

template <class Scalar>
StreamingDiloco<Scalar>::StreamingDiloco(const MethodInput<Scalar>& input)
    : peer_count_(input.peer_count),
      local_steps_(input.options[option::local_steps]),
      fragments_(input.options[option::fragments]),
      overlap_(input.options[option::overlap]),
      own_share_(input.options[option::own_share]),
      ring_(input.self, input.peer_count),
      x_(input.initial),
      own_(input.initial),
      optimizer_(make_local_optimizer<Scalar>(input.options[option::optimizer], input.initial.size(),
                                              input.segments)),
      outer_(OuterRule::parse(input.options[option::outer]), input.initial.size()) {
  if (local_steps_ % fragments_ != 0)
    throw Misuse("algorithm.fragments", std::to_string(fragments_),
                 "expected a divisor of algorithm.local_steps = " + std::to_string(local_steps_));
  if (fragments_ > static_cast<std::uint64_t>(x_.size()))
    throw Misuse("algorithm.fragments", std::to_string(fragments_),
                 "the model has fewer parameters; expected " + std::to_string(x_.size()) + " at most");
  if (overlap_ >= local_steps_ / fragments_)
    throw Misuse("algorithm.overlap", std::to_string(overlap_),
                 "expected less than the " + std::to_string(local_steps_ / fragments_) +
                     " local steps of a fragment (local_steps / fragments)");
  if (!optimizer_->is_sgd()) step_.resize(x_.size());
  sum_.resize((x_.size() + static_cast<Index>(fragments_) - 1) / static_cast<Index>(fragments_));
}

template <class Scalar>
Task StreamingDiloco<Scalar>::iterate(Iteration<Scalar>& it) {
  const std::uint64_t steps_each = local_steps_ / fragments_;  // S
  for (std::uint64_t fragment = 0; fragment < fragments_; ++fragment) {
    auto travel = ring_.sum(it, sum_of(fragment), static_cast<Slot>(fragment) * ring_.steps());
    for (std::uint64_t k = 1; k <= steps_each; ++k) {
      // inner: g_i = grad F_i(x_i; xi_i);  x_i <- x_i - eta g_i
      const Vector<Scalar>& gradient = co_await it.gradient(own_);
      step(gradient, it.step_size());
      if (fragment + 1 < fragments_ || k < steps_each) it.next_minibatch();
      if (k + overlap_ < steps_each) continue;

      // start: D_i = x_p - x_i,p sets out round the ring
      const std::uint64_t since = k + overlap_ - steps_each;
      if (since == 0) start(fragment);

      // pass on: take and pass on the hops that are due
      const auto due = static_cast<Slot>(overlap_ == 0 ? ring_.steps() : ring_.steps() * since / overlap_);
      travel.pause_before(due);
      co_await travel;
      travel.pass_on();

      // merge: D = (1/n) sum_j D_j;  m_p, x_p by the outer rule;  x_i,p <- (1 - alpha) x_p + alpha x_i,p
      if (k == steps_each) merge(fragment, it.step_size());
    }
  }
}

template <class Scalar>
void StreamingDiloco<Scalar>::step(const Vector<Scalar>& gradient, Scalar step_size) {
  if (step_.size() == 0) {
    own_ -= step_size * gradient;
    return;
  }
  optimizer_->step(own_, gradient, step_size, step_);
  own_ += step_;
}

template <class Scalar>
void StreamingDiloco<Scalar>::start(std::uint64_t fragment) {
  const Index begin = begin_of(fragment);
  const Index size = size_of(fragment);
  sum_.head(size) = x_.segment(begin, size) - own_.segment(begin, size);
}

template <class Scalar>
void StreamingDiloco<Scalar>::merge(std::uint64_t fragment, Scalar step_size) {
  const Index begin = begin_of(fragment);
  const Index size = size_of(fragment);
  sum_.head(size) *= Scalar(1) / static_cast<Scalar>(peer_count_);
  outer_.apply_from(begin, sum_.head(size), step_size, x_);
  const auto alpha = static_cast<Scalar>(own_share_);
  own_.segment(begin, size) = (1 - alpha) * x_.segment(begin, size) + alpha * own_.segment(begin, size);
}

template <class Scalar>
void StreamingDiloco<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("own model", own_);
  optimizer_->visit_state(visitor);
  outer_.visit(visitor);
  if (step_.size() != 0) visitor.scratch("local step", step_);
  visitor.scratch("sum", sum_);
}

template <class Scalar>
Traffic StreamingDiloco<Scalar>::traffic(std::uint64_t, const PeerRows&) const {
  Traffic all;
  for (std::uint64_t fragment = 0; fragment < fragments_; ++fragment) {
    const Traffic one = ring_.traffic(static_cast<std::uint64_t>(size_of(fragment)), sizeof(Scalar));
    all.messages += one.messages;
    all.payload_bytes += one.payload_bytes;
  }
  return all;
}

MethodInfo streaming_diloco_info() {
  return {
      .name = "streaming-diloco",
      .summary = "diloco by fragments of the model, each reduced while local steps continue",
      .equation =
          "D_p = (1/n) sum_j (x_p - x_j,p); x_p by the outer rule; x_i,p <- (1 - alpha) x_p + alpha x_i,p",
      .bytes = "2 F (n-1) (4d/(nF) + 64)",
      .source = "Douillard et al. 2025, arXiv:2501.18512, Algorithm 2",
      .compressor = CompressorNeed::none,
      .membership = Membership::by_agreement,
      .pattern = Pattern::ring,
      .permits_negative_weights = true,
      .permits_time_varying = true,
      .options = {{option::optimizer, "sgd"},
                  {option::local_steps, 12},
                  {option::outer, "nesterov(0.7, 0.9)"},
                  {option::fragments, 3},
                  {option::overlap, 1},
                  {option::own_share, 0.0}},
      .trials = {.with = {{.because = "diloco in parts, each summed while local steps go on",
                           .iterations = 0.1}}},
      .manual = {.overlap = Overlap::some,
                 .iteration = "every S = H/F local steps one fragment p: D_p = (1/n) sum_j (x_p - x_j,p) "
                              "as of tau steps ago; m, x_p by the outer rule; x_i,p <- (1 - alpha) x_p + "
                              "alpha x_i,p",
                 .memory = "4 + 1/F",
                 .needs = "nothing of W"},
      .make = factory<StreamingDiloco>()};
}

}  // namespace hearsay

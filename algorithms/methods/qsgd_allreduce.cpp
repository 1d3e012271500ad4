#include "algorithms/methods/qsgd_allreduce.hpp"

#include <utility>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
QsgdAllreduce<Scalar>::QsgdAllreduce(const MethodInput<Scalar>& input)
    : self_(input.self),
      peer_count_(input.peer_count),
      feedback_(FeedbackRule::parse(input.options[option::feedback])),
      compressor_(make_compressor<Scalar>(input.compressor, input.segments)),
      x_(input.initial),
      sum_(input.initial.size()),
      gather_(input.self, input.peer_count),
      choice_(input.self, input.peer_count, *compressor_, input.initial.size()),
      all_(*compressor_) {
  if (feedback_.remembers()) memory_.setZero(x_.size());
}

template <class Scalar>
Task QsgdAllreduce<Scalar>::iterate(Iteration<Scalar>& it) {
  // m_i holds a part of a step, so it is scaled with the step size: m_i <- m_i eta_{t-1} / eta_t
  if (feedback_.remembers() && it.previous_step_size() != it.step_size())
    memory_ *= it.previous_step_size() / it.step_size();

  // gradient: g_i = grad F_i(x; xi_i);  dgd-def: at x - eta m_i
  if (feedback_.gradient_at_ahead) sum_ = x_ - it.step_size() * memory_;
  const Vector<Scalar>& point = feedback_.gradient_at_ahead ? sum_ : x_;
  const Vector<Scalar>& gradient = co_await it.gradient(point);

  // correct: p_i = g_i + m_i
  sum_ = gradient;
  if (feedback_.remembers()) sum_ += memory_;

  // choose: peer t mod n, by its own p; n-1 hops
  co_await choice_.round(it, 0, sum_, view(gradient));

  // compress: c_i = C(p_i), encoded once
  PacketBuffer buffer = it.new_packet();
  RandomStream random = it.random(Purpose::compression);
  it.report(
      compressor_->encode({view(std::as_const(sum_)), random, view(gradient), choice_.indices()}, buffer));

  // all-gather: pass the packet of peer i-s on, the same bytes, and take that of peer i-s-1; n-1 hops
  gather_.begin(it, std::move(buffer).seal(), choice_.is_needed() ? 1 : 0);

  // remember, while the packets travel: m_i <- (1 - beta) m_i + beta (p_i - c_i)
  if (feedback_.remembers()) {
    it.report(choice_.accumulate(gather_.of(self_)->bytes(), -1, sum_));
    const auto beta = static_cast<Scalar>(feedback_.low_pass);
    if (beta == 1)
      memory_.swap(sum_);
    else
      memory_ = (1 - beta) * memory_ + beta * sum_;
  }

  co_await gather_.rest(it);

  // step: x <- x - (eta/n) sum_j c_j, in ascending j
  x_ -= it.step_size() / static_cast<Scalar>(peer_count_) * all_.of(it, gather_, choice_, sum_);
  gather_.end();
}

template <class Scalar>
void QsgdAllreduce<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  if (feedback_.remembers()) visitor.state("memory", memory_);
  visitor.scratch("sum", sum_);
}

template <class Scalar>
Traffic QsgdAllreduce<Scalar>::traffic(std::uint64_t number, const PeerRows&) const {
  return choice_.traffic(number - 1, number);
}

template <class Scalar>
std::uint64_t QsgdAllreduce<Scalar>::traffic_period() const {
  return choice_.is_needed() ? peer_count_ : 1;
}

MethodInfo qsgd_allreduce_info() {
  return {
      .name = "qsgd-allreduce",
      .summary = "centralized SGD on compressed gradients, gathered round a ring, with error feedback",
      .equation = "x <- x - (eta/n) sum_j C(g_j + m_j); m_i <- g_i + m_i - C(g_i + m_i)",
      .bytes = "(n-1) (|C| + 64)",
      .source = "Alistarh et al. 2017, arXiv:1610.02132, Algorithm 1; feedback: Karimireddy et al. 2019",
      .compressor = CompressorNeed::corrected,
      .membership = Membership::by_agreement,
      .default_compressor = "dither(linf, bits=4, bucket=512)",
      .pattern = Pattern::ring,
      .permits_negative_weights = true,
      .permits_time_varying = true,
      .options = {{option::feedback, "auto"}},
      .divides_by_step =
          [](const MethodOptions& options) {
            return std::string(options[option::feedback] == "none" ? "" : "the feedback of qsgd-allreduce");
          },
      .trials = {.with = {{.compressor = "dither(linf, bits=8, bucket=512)",
                           .because = "the steps of allreduce-sgd, nearly, in a quarter of the bytes"},
                          {.compressor = "dither(linf, bits=4, bucket=512)",
                           .because = "the same in an eighth of the bytes"}}},
      .manual =
          {.iteration =
               "x <- x - (eta/n) sum_j C(g_j + m_j), m_i the error left over; packets gathered round a ring",
           .memory = "3",
           .needs = "nothing of W; C unbiased, or contractive with `algorithm.feedback`"},
      .make = factory<QsgdAllreduce>()};
}

}  // namespace hearsay

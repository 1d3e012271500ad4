#include "algorithms/methods/demo.hpp"

#include <utility>

#include "algorithms/methods/parts/option_checks.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

namespace option {
const TextOption signs("signs", {{"unsigned", "signed"}},
                       "whether a step is the mean of all messages (`unsigned`), or the signs of the mean, "
                       "times eta (`signed`)");
}  // namespace option

template <class Scalar>
Demo<Scalar>::Demo(const MethodInput<Scalar>& input)
    : decay_(input.options[option::error_decay]),
      signed_(input.options[option::signs] == "signed"),
      compressor_(make_compressor<Scalar>(input.compressor, input.segments)),
      gather_(input.self, input.peer_count),
      aggregate_(input.options[option::aggregate], *compressor_, input.initial.size()),
      x_(input.initial),
      momentum_(Vector<Scalar>::Zero(input.initial.size())),
      mean_(input.initial.size()) {}

template <class Scalar>
Task Demo<Scalar>::iterate(Iteration<Scalar>& it) {
  // accumulate: m_i <- beta m_i + eta g_i
  const Vector<Scalar>& gradient = co_await it.gradient(x_);
  momentum_ = static_cast<Scalar>(decay_) * momentum_ + it.step_size() * gradient;

  // take out: q_i = C(m_i), encoded once;  m_i <- m_i - q_i
  PacketBuffer buffer = it.new_packet();
  RandomStream random = it.random(Purpose::compression);
  it.report(compressor_->encode({view(std::as_const(momentum_)), random, view(gradient)}, buffer));
  gather_.begin(it, std::move(buffer).seal());
  it.report(compressor_->accumulate(gather_.of(it.self())->bytes(), -1, view(momentum_)));

  // gather: pass the packet of peer i-s on, the same bytes, and take that of peer i-s-1; n-1 hops
  co_await gather_.rest(it);

  // aggregate: Q = (1/n) sum_j q_j, in ascending j
  const Vector<Scalar>& mean = aggregate_.of(it, gather_, mean_);

  // step: x <- x - Q;  signed: x <- x - eta sign(Q)
  if (signed_)
    x_ -= it.step_size() * mean.array().sign().matrix();
  else
    x_ -= mean;
  gather_.end();
}

template <class Scalar>
void Demo<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("momentum", momentum_);
  visitor.scratch("mean", mean_);
}

template <class Scalar>
Traffic Demo<Scalar>::traffic(std::uint64_t, const PeerRows&) const {
  const Traits traits = compressor_->traits(static_cast<std::size_t>(x_.size()));
  return {gather_.hops(), gather_.hops() * traits.bytes, !traits.data_dependent_size};
}

namespace {

/// Signs do not grow, however few have sent them.
void check_signs(const RunView& view, Advice& advice) {
  if (view.options[option::signs] != "signed") warn_of_few_senders(view, advice);
}

}  // namespace

MethodInfo demo_info() {
  return {.name = "demo",
          .aliases = {"decoupled-momentum"},
          .summary = "decoupled momentum: each peer sends the largest DCT coefficients of its own momentum",
          .equation =
              "m_i <- beta m_i + eta g_i; q_i = C(m_i); m_i <- m_i - q_i; x <- x - Q, Q the mean of all q_j; "
              "signed: x <- x - eta sign(Q)",
          .bytes = "(n-1) (|C| + 64)",
          .source = "Peng, Quesnelle, Kingma 2024, arXiv:2411.19870, Algorithm 1",
          .compressor = CompressorNeed::corrected,
          .membership = Membership::by_agreement,
          .default_compressor = "dct(chunk=64) | chunk-topk(32/64)",
          .pattern = Pattern::ring,
          .permits_negative_weights = true,
          .permits_time_varying = true,
          .options = {{option::signs, "unsigned"}, {option::error_decay, 0.999}, {option::aggregate, "mean"}},
          .check = check_signs,
          .trials = {.with = {{.compressor = "dct(chunk=64) | chunk-topk(8/64)",
                               .because = "the largest components of momentum, without local steps",
                               .iterations = 1.2}}},
          .manual = {.iteration =
                         "m_i <- beta m_i + eta g_i; q_i = C(m_i); m_i <- m_i - q_i; x <- x - (1/n) sum_j "
                         "q_j, or x - eta times its signs; packets gathered round a ring",
                     .memory = "4",
                     .needs = "nothing of W; C whose error is never longer than what it compresses"},
          .make = factory<Demo>()};
}

}  // namespace hearsay

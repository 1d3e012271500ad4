#include "algorithms/methods/sparse_loco.hpp"

#include <utility>

#include "algorithms/methods/parts/option_checks.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
SparseLoco<Scalar>::SparseLoco(const MethodInput<Scalar>& input)
    : error_decay_(input.options[option::error_decay]),
      compressor_(make_compressor<Scalar>(input.compressor, input.segments)),
      gather_(input.self, input.peer_count),
      aggregate_(input.options[option::aggregate], *compressor_, input.initial.size()),
      x_(input.initial),
      error_(Vector<Scalar>::Zero(input.initial.size())),
      mean_(input.initial.size()),
      local_(input),
      outer_(OuterRule::parse(input.options[option::outer]), input.initial.size()) {}

template <class Scalar>
Task SparseLoco<Scalar>::iterate(Iteration<Scalar>& it) {
  // inner: y_i = x;  H times: g_i = grad F_i(y_i; xi_i);  y_i <- y_i - eta g_i
  co_await local_.steps(it, x_);

  // correct: e_i <- beta e_i + (x - y_i)
  error_ *= -static_cast<Scalar>(error_decay_);
  local_.add_to(error_);
  error_ *= -1;

  // compress: c_i = C(e_i), encoded once
  PacketBuffer buffer = it.new_packet();
  RandomStream random = it.random(Purpose::compression);
  it.report(compressor_->encode({view(std::as_const(error_)), random}, buffer));

  // gather: pass the packet of peer i-s on, the same bytes, and take that of peer i-s-1; n-1 hops
  gather_.begin(it, std::move(buffer).seal());

  // remember, while the packets travel: e_i <- e_i - c_i
  it.report(compressor_->accumulate(gather_.of(it.self())->bytes(), -1, view(error_)));

  co_await gather_.rest(it);

  // outer: D = (1/n) sum_j c_j, in ascending j;  x <- x - rho D
  outer_.apply(aggregate_.of(it, gather_, mean_), it.step_size(), x_);
  gather_.end();
}

template <class Scalar>
void SparseLoco<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("error", error_);
  visitor.scratch("mean", mean_);
  local_.visit(visitor);
  outer_.visit(visitor);
}

template <class Scalar>
Traffic SparseLoco<Scalar>::traffic(std::uint64_t, const PeerRows&) const {
  const Traits traits = compressor_->traits(static_cast<std::size_t>(x_.size()));
  return {gather_.hops(), gather_.hops() * traits.bytes, !traits.data_dependent_size};
}

MethodInfo sparse_loco_info() {
  return {
      .name = "sparse-loco",
      .aliases = {"sparseloco"},
      .summary = "local steps; their pseudo-gradient is sent sparsified and quantized, with error feedback",
      .equation =
          "e_i <- beta e_i + (x - y_i); D the mean of all C(e_j); e_i <- e_i - C(e_i); x by the outer rule",
      .bytes = "(n-1) (|C| + 64)",
      .source = "Sarfi et al. 2025, arXiv:2508.15706, Algorithm 1",
      .compressor = CompressorNeed::corrected,
      .membership = Membership::by_agreement,
      .default_compressor = "chunk-topk(64/4096, values=2bit)",
      .pattern = Pattern::ring,
      .permits_negative_weights = true,
      .permits_time_varying = true,
      .options = {{option::optimizer, "sgd"},
                  {option::local_steps, 10},
                  {option::outer, "none(0.7)"},
                  {option::error_decay, 0.95},
                  {option::aggregate, "mean"}},
      .check = warn_of_few_senders,
      .trials = {.with = {{.compressor = "chunk-topk(64/4096, values=2bit)",
                           .because = "local steps, sent in a hundredth of the bytes",
                           .iterations = 0.3},
                          {.compressor = "chunk-topk(64/4096, values=2bit)",
                           .because = "the same in shorter rounds",
                           .iterations = 0.6,
                           .options = {{option::local_steps, 4}}}}},
      .manual = {.iteration = "y_i = x after H local steps; e_i <- beta e_i + (x - y_i); x <- x - (rho/n) "
                              "sum_j C(e_j); e_i <- e_i - C(e_i); packets gathered round a ring",
                 .memory = "5",
                 .needs = "nothing of W; C whose error is never longer than what it compresses"},
      .make = factory<SparseLoco>()};
}

}  // namespace hearsay

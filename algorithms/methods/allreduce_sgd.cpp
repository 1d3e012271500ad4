#include "algorithms/methods/allreduce_sgd.hpp"

#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
Task AllreduceSgd<Scalar>::iterate(Iteration<Scalar>& it) {
  // gradient: g_i = grad F_i(x; xi_i)
  co_await it.gradient(x_);
  it.keep_gradient(sum_);

  // all-reduce: sum_j g_j
  co_await all_reduce_.sum(it, view(sum_));

  // step: x <- x - (eta/n) sum_j g_j
  x_ -= it.step_size() / static_cast<Scalar>(peer_count_) * sum_;
}

template <class Scalar>
void AllreduceSgd<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.scratch("sum", sum_);
}

template <class Scalar>
Traffic AllreduceSgd<Scalar>::traffic(std::uint64_t, const PeerRows&) const {
  return all_reduce_.traffic(static_cast<std::uint64_t>(x_.size()), sizeof(Scalar));
}

MethodInfo allreduce_sgd_info() {
  return {
      .name = "allreduce-sgd",
      .summary = "centralized SGD by all-reduce: the baseline",
      .equation = "x <- x - (eta/n) sum_j g_j",
      .bytes = "2(n-1) (4d/n + 64) round the ring, log2 n (4d + 64) by doubling",
      .source = "ring of Patarasuk and Yuan 2009, section 4; doubling of Thakur et al. 2005, section 4.4",
      .compressor = CompressorNeed::none,
      .membership = Membership::by_agreement,
      .pattern = Pattern::ring,
      .permits_negative_weights = true,
      .permits_time_varying = true,
      .options = {{option::reduce, "auto"}},
      .pattern_with = reduce_pattern,
      .summed = [](const MethodOptions&, std::uint64_t d, const SegmentTable&) { return std::vector{d}; },
      .trials = {.with = {{.because = "averages exactly: no method of plain steps takes fewer iterations"}}},
      .manual = {.iteration = "x <- x - (eta/n) sum_j g_j, by an all-reduce",
                 .memory = "3",
                 .needs = "nothing of W"},
      .make = factory<AllreduceSgd>()};
}

}  // namespace hearsay

#include "algorithms/methods/naive.hpp"

#include <optional>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
Naive<Scalar>::Naive(const MethodInput<Scalar>& input)
    : compressor_(make_compressor<Scalar>(input.compressor, input.segments)),
      adapts_first_(input.options[option::order] == "adapt-then-combine"),
      x_(input.initial),
      heard_self_(input.initial.size()),
      heard_neighbor_(input.initial.size()),
      mixed_(input.initial.size()),
      local_(input) {}

template <class Scalar>
Task Naive<Scalar>::iterate(Iteration<Scalar>& it) {
  std::optional<Slot> slot;
  if (!adapts_first_) slot = publish(it);

  // gradient: g_i = grad F_i(x_i; xi_i);  s_i = -eta g_i, or the sum of H local steps
  co_await local_.steps(it, x_);
  if (adapts_first_) {
    local_.add_to(x_);
    slot = publish(it);
  }

  // mix, step: C(x_i) + sum_j w_ij (C(x_j) - C(x_i)) + s_i
  mixed_ = heard_self_;
  const std::span<const PacketRef> packets = co_await it.collect(*slot);
  const std::vector<WeightedNeighbor>& neighbors = it.mixing().hears;
  for (std::size_t j = 0; j < neighbors.size(); ++j) {
    if (!packets[j]) continue;  // without a message the weight stays with C(x_i)
    heard_neighbor_.setZero();
    it.report(compressor_->accumulate(packets[j]->bytes(), 1, view(heard_neighbor_)));
    mixed_ += static_cast<Scalar>(neighbors[j].weight) * (heard_neighbor_ - heard_self_);
  }
  if (!adapts_first_) local_.add_to(mixed_);
  x_.swap(mixed_);
}

/// publish: c_i = C(x_i), encoded once, sent to every neighbor
template <class Scalar>
Slot Naive<Scalar>::publish(Iteration<Scalar>& it) {
  PacketBuffer buffer = it.new_packet();
  RandomStream random = it.random(Purpose::compression);
  heard_self_.setZero();
  it.report(compressor_->encode_and_apply({view(std::as_const(x_)), random}, buffer, view(heard_self_)));
  return it.post(std::move(buffer).seal());
}

template <class Scalar>
void Naive<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.scratch("heard self", heard_self_);
  visitor.scratch("heard neighbor", heard_neighbor_);
  visitor.scratch("mixed", mixed_);
  local_.visit(visitor);
}

template <class Scalar>
Traffic Naive<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return compressed_traffic(rows.at(number - 1), *compressor_, x_.size());
}

MethodInfo naive_info() {
  return {.name = "naive",
          .summary = "naive quantized D-PSGD: compresses the models themselves (negative control)",
          .equation = "x_i <- sum_j w_ij C(x_j) - eta g_i",
          .bytes = "deg (|C| + 64)",
          .source = "Tang et al. 2018, arXiv:1803.06443, section 3",
          .compressor = CompressorNeed::any,
          .membership = Membership::exact,
          .may_be_joined = true,
          .default_compressor = "dither(linf, bits=8, bucket=512)",
          .permits_time_varying = true,
          .options = {{option::optimizer, "sgd"},
                      {option::local_steps, 1},
                      {option::order, "combine-then-adapt"}},
          .orders = {"combine-then-adapt", "adapt-then-combine"},
          .trials = {.none_because = "a negative control: its error never vanishes"},
          .manual = {.overlap = Overlap::all,
                     .memory = "5",
                     .needs = "a negative control: its error never vanishes"},
          .make = factory<Naive>()};
}

}  // namespace hearsay

#include "algorithms/methods/moniqua.hpp"

#include <optional>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
Moniqua<Scalar>::Moniqua(const MethodInput<Scalar>& input)
    : compressor_(make_compressor<Scalar>(input.compressor, input.segments)),
      consensus_step_(input.options[option::consensus_step]),
      adapts_first_(input.options[option::order] == "adapt-then-combine"),
      x_(input.initial),
      own_recovered_(input.initial.size()),
      recovered_(input.initial.size()),
      mixed_(input.initial.size()),
      local_(input) {}

template <class Scalar>
Task Moniqua<Scalar>::iterate(Iteration<Scalar>& it) {
  // publish: q_i = C(x_i), its codes modulo k only, sent to every neighbor
  PacketRef own;
  std::optional<Slot> slot;
  if (!adapts_first_) {
    own = quantized(it);
    slot = it.post(own);
  }

  // gradient: g_i = grad F_i(x_i; xi_i);  s_i = -eta g_i, or the sum of H local steps
  co_await local_.steps(it, x_);
  if (adapts_first_) {
    // x_i <- x_i + s_i;  publish
    local_.add_to(x_);
    own = quantized(it);
    slot = it.post(own);
  }

  // recover: xt_j = the value near x_i that q_j stands for, and xt_i
  const std::span<const Scalar> own_model = view(std::as_const(x_));
  own_recovered_.setZero();
  it.report(compressor_->accumulate_near(own->bytes(), own_model, 1, view(own_recovered_)));
  mixed_ = x_;
  const std::span<const PacketRef> packets = co_await it.collect(*slot);
  const std::vector<WeightedNeighbor>& neighbors = it.mixing().hears;
  for (std::size_t j = 0; j < neighbors.size(); ++j) {
    if (!packets[j]) continue;  // without a message the weight stays with x_i
    recovered_.setZero();
    it.report(compressor_->accumulate_near(packets[j]->bytes(), own_model, 1, view(recovered_)));

    // consensus: x_i <- x_i + gamma sum_j w_ij (xt_j - xt_i) + s_i
    mixed_ += static_cast<Scalar>(consensus_step_) * static_cast<Scalar>(neighbors[j].weight) *
              (recovered_ - own_recovered_);
  }
  if (!adapts_first_) local_.add_to(mixed_);
  x_.swap(mixed_);
}

template <class Scalar>
PacketRef Moniqua<Scalar>::quantized(Iteration<Scalar>& it) {
  const std::span<const Scalar> own_model = view(std::as_const(x_));
  PacketBuffer buffer = it.new_packet();
  RandomStream random = it.random(Purpose::compression);
  it.report(compressor_->encode({.vector = own_model, .random = random, .near = own_model}, buffer));
  return std::move(buffer).seal();
}

template <class Scalar>
void Moniqua<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.scratch("own recovered", own_recovered_);
  visitor.scratch("recovered", recovered_);
  visitor.scratch("mixed", mixed_);
  local_.visit(visitor);
}

template <class Scalar>
Traffic Moniqua<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return compressed_traffic(rows.at(number - 1), *compressor_, x_.size());
}

MethodInfo moniqua_info() {
  return {.name = "moniqua",
          .summary = "models quantized modulo a range, recovered near one's own; no extra memory",
          .equation = "x_i <- x_i + gamma sum_j w_ij (xt_j - xt_i) - eta g_i, xt_j = C(x_j) read near x_i",
          .bytes = "deg (|C| + 64)",
          .source = "Lu and De Sa 2020, arXiv:2002.11787, Algorithm 1",
          .compressor = CompressorNeed::bounded,
          .membership = Membership::no_return,
          .default_compressor = "mod(k=256, step=0.02)",
          .permits_time_varying = true,
          .options = {{option::consensus_step, 1.0},
                      {option::optimizer, "sgd"},
                      {option::local_steps, 1},
                      {option::order, "combine-then-adapt"}},
          .orders = {"combine-then-adapt", "adapt-then-combine"},
          .trials = {.with = {{.compressor = "mod(k=256, step=0.02)",
                               .because = "8 bits without replicas, for models that stay close together"}}},
          .manual = {.overlap = Overlap::all,
                     .iteration = "x_i <- x_i + gamma sum_j w_ij (xt_j - xt_i) - eta g_i, xt_j what `mod` "
                                  "says of x_j, read near x_i",
                     .memory = "5",
                     .needs = "W doubly stochastic; neighbors within step (k - 2)/2 of each other, step (k - "
                              "1)/2 with `nearest`"},
          .make = factory<Moniqua>()};
}

}  // namespace hearsay

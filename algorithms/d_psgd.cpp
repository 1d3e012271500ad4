#include "algorithms/d_psgd.hpp"

#include "algorithms/full_precision.hpp"
#include "algorithms/method_factory.hpp"

namespace hearsay {

template <class Scalar>
Task DPsgd<Scalar>::iterate(Iteration<Scalar>& it) {
  // publish: send x_i to every neighbor
  PacketBuffer buffer = it.new_packet();
  write_full<Scalar>(view(x_), buffer);
  const Slot slot = it.post(std::move(buffer).seal());

  // gradient: g_i = grad F_i(x_i; xi_i)
  const Vector<Scalar>& gradient = co_await it.gradient(x_);

  // mix, step: x_i + sum_j w_ij (x_j - x_i) - eta g_i
  mixed_ = x_;
  const std::span<const PacketRef> packets = co_await it.collect(slot);
  const std::vector<WeightedNeighbor>& neighbors = it.mixing().hears;
  for (std::size_t j = 0; j < neighbors.size(); ++j) {
    if (!packets[j]) continue;  // lost: its weight stays with x_i
    const auto weight = static_cast<Scalar>(neighbors[j].weight);
    if (!add_weighted_difference<Scalar>(packets[j]->bytes(), weight, view(std::as_const(x_)), view(mixed_)))
      it.report(CodecStatus::malformed);
  }
  x_ = mixed_ - it.step_size() * gradient;
}

template <class Scalar>
void DPsgd<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.scratch("mixed", mixed_);
}

template <class Scalar>
Traffic DPsgd<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return gossip_traffic(rows.at(number - 1), view(x_).size_bytes());
}

template class DPsgd<float>;
template class DPsgd<double>;

MethodInfo d_psgd_info() {
  return {.name = "d-psgd",
          .summary = "decentralized parallel SGD: full-precision gossip",
          .equation = "x_i <- sum_j w_ij x_j - eta g_i",
          .bytes = "deg (4d + 64)",
          .source = "Lian et al. 2017, arXiv:1705.09056, Algorithm 1",
          .compressor = CompressorNeed::none,
          .permits_negative_weights = true,
          .permits_time_varying = true,
          .make_float = make_method<DPsgd<float>, float>,
          .make_double = make_method<DPsgd<double>, double>};
}

}  // namespace hearsay

#include "algorithms/d_psgd.hpp"

#include "algorithms/full_mixing.hpp"
#include "algorithms/method_factory.hpp"

namespace hearsay {

template <class Scalar>
Task DPsgd<Scalar>::iterate(Iteration<Scalar>& it) {
  // publish: send x_i to every neighbor
  const Slot slot = it.post(full_packet(it, x_));

  // gradient: g_i = grad F_i(x_i; xi_i);  s_i = -eta g_i, or what H local steps add up to
  local_.begin(x_);
  for (bool more = true; more;) {
    const Vector<Scalar>& gradient = co_await it.gradient(local_.point());
    more = local_.take(it, gradient);
  }

  // mix, step: x_i + sum_j w_ij (x_j - x_i) + s_i
  const std::span<const PacketRef> packets = co_await it.collect(slot);
  it.report(mix_full(it.mixing(), packets, x_, mixed_));
  local_.add_to(mixed_);
  x_.swap(mixed_);
}

template <class Scalar>
void DPsgd<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.scratch("mixed", mixed_);
  local_.visit(visitor);
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
          .membership = Membership::exact,
          .permits_negative_weights = true,
          .permits_time_varying = true,
          .options = {.optimizer = "sgd", .local_steps = 1},
          .make_float = make_method<DPsgd<float>, float>,
          .make_double = make_method<DPsgd<double>, double>};
}

}  // namespace hearsay

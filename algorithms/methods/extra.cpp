#include "algorithms/methods/extra.hpp"

#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
Task Extra<Scalar>::iterate(Iteration<Scalar>& it) {
  // publish: send x_i to every neighbor
  const Slot slot = it.post(it.lent_packet(x_));
  mixing_.begin_pull(it, slot, x_, pull_);

  // gradient: g_i = grad F_i(x_i; xi_i)
  const Vector<Scalar>& gradient = co_await it.gradient(x_);

  // step, correct: psi_i' = x_i - eta g_i;  psi_i' + (x_i - psi_i) - v_i before / 2
  last_pull_ = (x_ - stepped_) - last_pull_ / 2;
  stepped_ = x_ - it.step_size() * gradient;
  last_pull_ += stepped_;

  // mix: v_i = sum_j w_ij (x_j - x_i);   x_i <- ... + v_i
  const std::span<const PacketRef> packets = co_await it.collect(slot);
  it.report(mixing_.finish(it.mixing(), packets));
  x_ = last_pull_ + pull_;
  last_pull_.swap(pull_);
}

template <class Scalar>
void Extra<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("stepped", stepped_);
  visitor.state("last pull", last_pull_);
  visitor.scratch("pull", pull_);
}

template <class Scalar>
Traffic Extra<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return gossip_traffic(rows.at(number - 1), view(x_).size_bytes());
}

MethodInfo extra_info() {
  return {.name = "extra",
          .summary = "gossip without the bias of heterogeneous data; models are sent during the gradient",
          .equation =
              "x_i <- x_i + (W x)_i - (x_i + (W x)_i)/2 of the last iteration - eta (g_i - g_i of the last)",
          .bytes = "deg (4d + 64)",
          .source = "Shi et al. 2015, arXiv:1404.6264, Algorithm 1",
          .compressor = CompressorNeed::none,
          .membership = Membership::reinitialise,
          .needs_symmetric_mixing = true,
          .permits_negative_weights = true,
          .trials = {.with = {{.because = "as d2, and models travel during the gradient"}}},
          .manual = {.overlap = Overlap::all, .memory = "5", .needs = "W symmetric"},
          .make = factory<Extra>()};
}

}  // namespace hearsay

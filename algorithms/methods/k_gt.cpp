#include "algorithms/methods/k_gt.hpp"

#include "algorithms/methods/parts/full_mixing.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

template <class Scalar>
KGt<Scalar>::KGt(const MethodInput<Scalar>& input)
    : local_steps_(input.options[option::local_steps]),
      rate_(OuterRule::parse(input.options[option::outer]).rate),
      x_(input.initial),
      correction_(Vector<Scalar>::Zero(input.initial.size())),
      drift_(input.initial.size()),
      mixed_(input.initial.size()) {
  if (OuterRule::parse(input.options[option::outer]).kind != OuterRule::Kind::none)
    throw Misuse("algorithm.outer", input.options[option::outer],
                 "k-gt has no outer momentum; expected none(rho)");
  if (local_steps_ > 1) point_.resize(x_.size());
}

template <class Scalar>
Task KGt<Scalar>::iterate(Iteration<Scalar>& it) {
  const Scalar eta = it.step_size();

  // inner: D_i = 0;  H times: g_i = grad F_i(x_i + D_i; xi_i);  D_i <- D_i - eta (g_i + c_i)
  drift_.setZero();
  for (std::uint64_t step = 0; step < local_steps_; ++step) {
    if (step > 0) it.next_minibatch();
    if (local_steps_ > 1) point_ = x_ + drift_;
    const Vector<Scalar>& gradient = co_await it.gradient(local_steps_ > 1 ? point_ : x_);
    drift_ -= eta * (gradient + correction_);
  }

  // track: z_i = -D_i / (H eta);   exchange: send (x_i + rho D_i, z_i)
  x_ += static_cast<Scalar>(rate_) * drift_;
  drift_ /= -(static_cast<Scalar>(local_steps_) * eta);
  const std::span<const PacketRef> packets = co_await it.exchange(full_packet(it, x_, drift_));

  // correct: c_i <- c_i + sum_j w_ij (z_j - z_i)
  it.report(add_differences(it.mixing(), packets, Half::second, drift_, 1.0, correction_));

  // mix: x_i <- sum_j w_ij (x_j + rho D_j)
  mixed_ = x_;
  it.report(add_differences(it.mixing(), packets, Half::first, x_, 1.0, mixed_));
  x_.swap(mixed_);
}

template <class Scalar>
void KGt<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("correction", correction_);
  visitor.scratch("drift", drift_);
  visitor.scratch("mixed", mixed_);
  if (local_steps_ > 1) visitor.scratch("point", point_);
}

template <class Scalar>
Traffic KGt<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return gossip_traffic(rows.at(number - 1), 2 * view(x_).size_bytes());
}

MethodInfo k_gt_info() {
  return {.name = "k-gt",
          .aliases = {"kgt"},
          .summary = "local steps corrected by gradient tracking: no bias from heterogeneous data",
          .equation =
              "D_i = -eta sum of H (g_i + c_i); c_i <- c_i - z_i + sum_j w_ij z_j, z = -D/(H eta); x_i "
              "<- sum_j w_ij (x_j + rho D_j)",
          .bytes = "deg (8d + 64)",
          .source = "Liu et al. 2023, arXiv:2301.01313, Algorithm 1",
          .compressor = CompressorNeed::none,
          .membership = Membership::reinitialise,
          .permits_negative_weights = true,
          .permits_time_varying = true,
          .options = {{option::local_steps, 5}, {option::outer, "none(1)"}},
          .divides_by_step = [](const MethodOptions&) { return std::string("k-gt"); },
          .manual = {.memory = "6", .needs = "W doubly stochastic"},
          .make = factory<KGt>()};
}

}  // namespace hearsay

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
      point_(input.initial.size()),
      mixed_(input.initial.size()) {
  if (OuterRule::parse(input.options[option::outer]).kind != OuterRule::Kind::none)
    throw Misuse("algorithm.outer", input.options[option::outer],
                 "k-gt has no outer momentum; expected none(rho)");
}

template <class Scalar>
Task KGt<Scalar>::iterate(Iteration<Scalar>& it) {
  const Scalar eta = it.step_size();
  const Scalar steps_size = static_cast<Scalar>(local_steps_) * eta;

  // models: send x_i to every neighbor
  const Slot model_slot = it.post(full_packet(it, x_));

  // inner: D_i = 0;  H times: g_i = grad F_i(x_i + D_i; xi_i);  D_i <- D_i - eta (g_i + c_i)
  drift_.setZero();
  for (std::uint64_t step = 0; step < local_steps_; ++step) {
    if (step > 0) it.next_minibatch();
    point_ = x_ + drift_;
    const Vector<Scalar>& gradient = co_await it.gradient(point_);
    drift_ -= eta * (gradient + correction_);
  }

  // drifts: send D_i to every neighbor;  z_i = -D_i / (H eta)
  const Slot drift_slot = it.post(full_packet(it, drift_));
  const std::span<const PacketRef> models = co_await it.collect(model_slot);
  told_.assign(models.begin(), models.end());
  const std::span<const PacketRef> drifts = co_await it.collect(drift_slot);
  x_ += static_cast<Scalar>(rate_) * drift_;
  drift_ /= -steps_size;

  // correct, mix: c_i <- c_i + sum_j w_ij (z_j - z_i);  x_i <- sum_j w_ij (x_j + rho D_j)
  mixed_ = x_;
  for (std::size_t j = 0; j < drifts.size(); ++j)
    it.report(mix_with(told_[j], drifts[j], steps_size, it.mixing().hears[j].weight));
  told_.clear();
  x_.swap(mixed_);
}

/// Adds what neighbor j contributes: c_i <- c_i + w_ij (z_j - z_i), and w_ij ((x_j + rho D_j) - (x_i + rho
/// D_i)) to the models as they are mixed.
template <class Scalar>
CodecStatus KGt<Scalar>::mix_with(const PacketRef& model, const PacketRef& drift, Scalar steps_size,
                                  double weight) {
  if (!model || !drift) return CodecStatus::ok;
  if (!read_full<Scalar>(drift->bytes(), view(point_))) return CodecStatus::malformed;
  correction_ += static_cast<Scalar>(weight) * (point_ / -steps_size - drift_);
  point_ *= static_cast<Scalar>(rate_);
  if (!add_full<Scalar>(model->bytes(), 1, view(point_))) return CodecStatus::malformed;
  mixed_ += static_cast<Scalar>(weight) * (point_ - x_);
  return CodecStatus::ok;
}

template <class Scalar>
void KGt<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("correction", correction_);
  visitor.scratch("drift", drift_);
  visitor.scratch("mixed", mixed_);
  visitor.scratch("point", point_);
}

template <class Scalar>
Traffic KGt<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return twice(gossip_traffic(rows.at(number - 1), view(x_).size_bytes()));
}

MethodInfo k_gt_info() {
  return {
      .name = "k-gt",
      .aliases = {"kgt"},
      .summary = "local steps corrected by gradient tracking: no bias, whatever the data",
      .equation =
          "D_i = -eta sum of H (g_i + c_i); c_i <- c_i - z_i + sum_j w_ij z_j, z = -D/(H eta); x_i "
          "<- sum_j w_ij (x_j + rho D_j)",
      .bytes = "2 deg (4d + 64)",
      .source = "Liu et al. 2023, arXiv:2301.01313, Algorithm 1",
      .compressor = CompressorNeed::none,
      .membership = Membership::reinitialise,
      .permits_negative_weights = true,
      .permits_time_varying = true,
      .options = {{option::local_steps, 5}, {option::outer, "none(1)"}},
      .divides_by_step = [](const MethodOptions&) { return std::string("k-gt"); },
      .trials = {.with = {{.because = "no bias where peers have different data, and a fifth of the rounds",
                           .iterations = 0.4}}},
      .manual = {.overlap = Overlap::some, .memory = "6", .needs = "W doubly stochastic"},
      .make = factory<KGt>()};
}

}  // namespace hearsay

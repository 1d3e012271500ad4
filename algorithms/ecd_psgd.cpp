#include "algorithms/ecd_psgd.hpp"

#include "algorithms/full_precision.hpp"
#include "algorithms/method_factory.hpp"

namespace hearsay {

template <class Scalar>
EcdPsgd<Scalar>::EcdPsgd(const MethodInput<Scalar>& input)
    : compressor_(make_compressor<Scalar>(input.compressor, input.segments)),
      restart_every_(*input.options.restart_every),
      x_(input.initial),
      own_estimate_(input.initial),
      estimates_(input.neighbors, input.initial),
      half_step_(input.initial.size()),
      extrapolated_(input.initial.size()),
      decoded_(input.initial.size()) {}

template <class Scalar>
Task EcdPsgd<Scalar>::iterate(Iteration<Scalar>& it) {
  const std::vector<WeightedNeighbor>& neighbors = it.mixing().hears;
  // t counts from 1, and from 1 again after every restart.
  const std::uint64_t count = restart_every_ == 0 ? it.number() : (it.number() - 1) % restart_every_ + 1;
  const auto t = static_cast<double>(count);
  const bool restart = restarts_after(it.number());

  // gradient: g_i = grad F_i(x_i; xi_i)
  const Vector<Scalar>& gradient = co_await it.gradient(x_);

  // half step: x_i' = xt_i + sum_j w_ij (xt_j - xt_i) - eta g_i
  half_step_ = own_estimate_;
  for (const auto& [j, weight] : neighbors)
    half_step_ += static_cast<Scalar>(weight) * (estimates_.of(j) - own_estimate_);
  half_step_ -= it.step_size() * gradient;

  // extrapolate: z_i = x_i + (t/2) (x_i' - x_i);   exchange: send c_i = C(z_i), encoded once
  PacketBuffer buffer = it.new_packet();
  if (restart) {
    write_full<Scalar>(view(std::as_const(half_step_)), buffer);
    own_estimate_ = half_step_;
  } else {
    extrapolated_ = x_ + static_cast<Scalar>(t / 2) * (half_step_ - x_);
    RandomStream random = it.random(Purpose::compression);
    decoded_.setZero();
    it.report(
        compressor_->encode_and_apply({view(std::as_const(extrapolated_)), random}, buffer, view(decoded_)));
    follow(own_estimate_, t);
  }

  // step: x_i <- x_i'
  x_ = half_step_;

  // estimates: xt_j <- xt_j + (2/t) (c_j - xt_j)
  const PacketRef packet = std::move(buffer).seal();
  const std::span<const PacketRef> packets = co_await it.exchange(packet);
  for (std::size_t j = 0; j < neighbors.size(); ++j) {
    if (!packets[j]) continue;
    Vector<Scalar>& estimate = estimates_.of(neighbors[j].id);
    if (restart) {
      if (!read_full<Scalar>(packets[j]->bytes(), view(estimate))) it.report(CodecStatus::malformed);
    } else {
      decoded_.setZero();
      it.report(compressor_->accumulate(packets[j]->bytes(), 1, view(decoded_)));
      follow(estimate, t);
    }
  }
}

/// xt <- xt + (2/t) (c - xt), with c in decoded_: the same operations at every holder.
template <class Scalar>
void EcdPsgd<Scalar>::follow(Vector<Scalar>& estimate, double t) {
  estimate += static_cast<Scalar>(2 / t) * (decoded_ - estimate);
}

template <class Scalar>
void EcdPsgd<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.published("estimate", own_estimate_);
  estimates_.visit(visitor);
  visitor.scratch("half step", half_step_);
  visitor.scratch("extrapolated", extrapolated_);
  visitor.scratch("decoded", decoded_);
}

template <class Scalar>
Traffic EcdPsgd<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  if (restarts_after(number)) return gossip_traffic(rows.at(number - 1), view(x_).size_bytes());
  const Traits traits = compressor_->traits(static_cast<std::size_t>(x_.size()));
  return gossip_traffic(rows.at(number - 1), traits.bytes, !traits.data_dependent_size);
}

template class EcdPsgd<float>;
template class EcdPsgd<double>;

MethodInfo ecd_psgd_info() {
  return {
      .name = "ecd-psgd",
      .summary = "extrapolation compression: the model stays exact, estimates of it average out the noise",
      .equation =
          "x_i' = sum_j w_ij xt_j - eta g_i;  xt_j <- (1-2/t) xt_j + (2/t) C((1-t/2) x_j + (t/2) x_j')",
      .bytes = "deg (|C| + 64)",
      .source = "Tang et al. 2018, arXiv:1803.06443, Algorithm 2",
      .compressor = CompressorNeed::absolute,
      .default_compressor = "grid(0.02)",
      .needs_symmetric_mixing = true,
      .options = {.restart_every = 0},
      .make_float = make_method<EcdPsgd<float>, float>,
      .make_double = make_method<EcdPsgd<double>, double>};
}

}  // namespace hearsay

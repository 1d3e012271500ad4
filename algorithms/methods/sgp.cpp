#include "algorithms/methods/sgp.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/arithmetic/wire_scalar.hpp"
#include "algorithms/compression/seam/full_precision.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

namespace {

/// The layout of a message: z_j, then the share p_j u_j.
template <class Scalar>
PacketRef pushed_packet(Iteration<Scalar>& it, const Vector<Scalar>& vector, Scalar share) {
  PacketBuffer buffer = it.new_packet();
  const std::span<std::byte> bytes = buffer.resize(view(vector).size_bytes() + sizeof share);
  std::ranges::copy(std::as_bytes(view(vector)), bytes.begin());
  write_scalar(bytes, static_cast<std::size_t>(vector.size()), share);
  return std::move(buffer).seal();
}

}  // namespace

template <class Scalar>
Sgp<Scalar>::Sgp(const MethodInput<Scalar>& input)
    : z_(input.initial), weight_(Vector<Scalar>::Ones(1)), mixed_(input.initial.size()) {}

template <class Scalar>
Task Sgp<Scalar>::iterate(Iteration<Scalar>& it) {
  // gradient: g_i = grad F_i(z_i; xi_i)
  const Vector<Scalar>& gradient = co_await it.gradient(z_);

  // step: x_i <- x_i - eta g_i, which moves z_i = x_i / u_i
  z_ -= it.step_size() / weight_[0] * gradient;

  // push: send p_i (x_i, u_i), keep as much
  const Scalar share = weight_[0] / static_cast<Scalar>(1 + it.mixing().heard_by.size());
  const PacketRef packet = pushed_packet(it, z_, share);
  const std::span<const PacketRef> packets = co_await it.exchange(packet);

  // absorb: u_i <- sum_j p_j u_j
  const std::size_t dimension = view(z_).size();
  weight_[0] = share;
  for (const PacketRef& pushed : packets) {
    if (!pushed) continue;  // without a message its mass is lost
    if (pushed->size() != (dimension + 1) * sizeof(Scalar)) {
      it.report(CodecStatus::malformed);
      co_return;
    }
    weight_[0] += read_scalar<Scalar>(pushed->bytes(), dimension);
  }

  // absorb: x_i <- sum_j p_j x_j, as z_i <- z_i + sum_j (p_j u_j / u_i) (z_j - z_i)
  mixed_ = z_;
  for (const PacketRef& pushed : packets) {
    if (!pushed) continue;
    const Scalar part = read_scalar<Scalar>(pushed->bytes(), dimension) / weight_[0];
    const auto vector = pushed->bytes().first(dimension * sizeof(Scalar));
    add_weighted_difference<Scalar>(vector, part, view(std::as_const(z_)), view(mixed_));
  }
  z_.swap(mixed_);
}

template <class Scalar>
void Sgp<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", z_);
  visitor.state("weight", weight_);
  visitor.scratch("mixed", mixed_);
}

template <class Scalar>
Traffic Sgp<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return gossip_traffic(rows.at(number - 1), view(z_).size_bytes() + sizeof(Scalar));
}

MethodInfo sgp_info() {
  return {
      .name = "sgp",
      .summary = "stochastic gradient push: gossip on directed graphs",
      .equation =
          "x_i <- sum_j p_j (x_j - eta g_j), u_i <- sum_j p_j u_j, p_j = 1/(1 + out-degree); model x_i/u_i",
      .bytes = "outdeg (4d + 4 + 64)",
      .source = "Assran et al. 2019, arXiv:1811.10792, Algorithm 1",
      .compressor = CompressorNeed::none,
      .membership = Membership::reinitialise,
      .permits_negative_weights = true,
      .permits_time_varying = true,
      .push_sum = true,
      .trials =
          {.none_because =
               "for one-way links, where it is the only one; elsewhere d-psgd does the same in fewer bytes"},
      .manual = {.iteration = "x_i <- sum_j p_j (x_j - eta g_j), u_i <- sum_j p_j u_j, p_j = 1/(1 + "
                              "outdeg_j); the model is x_i / u_i",
                 .memory = "3",
                 .needs = "of W only who hears whom"},
      .make = factory<Sgp>()};
}

}  // namespace hearsay

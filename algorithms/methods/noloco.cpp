#include "algorithms/methods/noloco.hpp"

#include "algorithms/methods/parts/full_mixing.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

template <class Scalar>
NoLoCo<Scalar>::NoLoCo(const MethodInput<Scalar>& input)
    : consensus_step_(input.options[option::consensus_step]),
      outer_(OuterRule::parse(input.options[option::outer])),
      x_(input.initial),
      momentum_(Vector<Scalar>::Zero(input.initial.size())),
      drift_(input.initial.size()),
      local_(input) {
  if (outer_.kind != OuterRule::Kind::none && outer_.kind != OuterRule::Kind::heavy_ball)
    throw Misuse("algorithm.outer", input.options[option::outer],
                 "noloco has no such momentum; expected heavy-ball(rho, beta) or none(rho)");
}

template <class Scalar>
Task NoLoCo<Scalar>::iterate(Iteration<Scalar>& it) {
  const auto rho = static_cast<Scalar>(outer_.rate);
  const auto beta = static_cast<Scalar>(outer_.momentum);

  // models: send x_i to every neighbor of the round
  const Slot model_slot = it.post(full_packet(it, x_));

  // inner: y_i = x_i;  H times: g_i = grad F_i(y_i; xi_i);  y_i <- y_i - eta g_i;   D_i = y_i - x_i
  co_await local_.steps(it, x_);
  drift_.setZero();
  local_.add_to(drift_);

  // drifts: send D_i to every neighbor of the round
  const Slot drift_slot = it.post(full_packet(it, drift_));

  // mean, outer: m_i <- beta m_i + rho (D_i + sum_j w_ij (D_j - D_i)) + gamma sum_j w_ij (x_j - x_i)
  momentum_ = beta * momentum_ + rho * drift_;
  const std::span<const PacketRef> models = co_await it.collect(model_slot);
  told_.assign(models.begin(), models.end());
  const std::span<const PacketRef> drifts = co_await it.collect(drift_slot);
  // A neighbor that was lost between its two messages says nothing: an edge is mixed along whole, or not.
  for (std::size_t j = 0; j < told_.size(); ++j)
    if (!drifts[j]) told_[j] = {};
  it.report(add_differences(it.mixing(), told_, x_, consensus_step_, momentum_));
  told_.clear();
  it.report(add_differences(it.mixing(), drifts, drift_, outer_.rate, momentum_));
  x_ += momentum_;
}

template <class Scalar>
void NoLoCo<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("momentum", momentum_);
  visitor.scratch("drift", drift_);
  local_.visit(visitor);
}

template <class Scalar>
Traffic NoLoCo<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return twice(gossip_traffic(rows.at(number - 1), view(x_).size_bytes()));
}

MethodInfo noloco_info() {
  return {
      .name = "noloco",
      .summary = "local steps and outer momentum without all-reduce: random pairs pull each other closer",
      .equation = "m_i <- beta m_i + rho sum_j w_ij D_j + gamma (sum_j w_ij x_j - x_i); x_i <- x_i + m_i",
      .bytes = "2 deg (4d + 64)",
      .source = "Kolehmainen et al. 2025, arXiv:2506.10911",
      .compressor = CompressorNeed::none,
      .membership = Membership::exact,
      .may_be_joined = true,
      .permits_negative_weights = true,
      .permits_time_varying = true,
      .options = {{option::consensus_step, 0.7},
                  {option::optimizer, "sgd"},
                  {option::local_steps, 10},
                  {option::outer, "heavy-ball(0.7, 0.5)"}},
      .outer_gossip =
          [](const MethodOptions& options) {
            return OuterGossip{options[option::consensus_step],
                               OuterRule::parse(options[option::outer]).momentum, false};
          },
      .trials = {.with = {{.because = "gas-loc with each peer's own momentum", .iterations = 0.2}}},
      .manual = {.overlap = Overlap::some,
                 .iteration = "D_i the sum of H local steps; m_i <- beta m_i + rho sum_j w_ij D_j + gamma "
                              "(sum_j w_ij x_j - x_i); x_i <- x_i + m_i",
                 .memory = "5",
                 .needs = "W doubly stochastic; random pairs: gamma below a limit that falls with beta"},
      .make = factory<NoLoCo>()};
}

}  // namespace hearsay

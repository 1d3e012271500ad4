#include "algorithms/methods/gas_loc.hpp"

#include "algorithms/methods/parts/full_mixing.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace option {
const TextOption mixes("mixes", {{"momentum", "models"}},
                       "what gossip mixes: the models after the outer momentum (`momentum`), or before it, "
                       "so that a peer's momentum stays its own (`models`, as published)");
}  // namespace option

template <class Scalar>
GasLoc<Scalar>::GasLoc(const MethodInput<Scalar>& input)
    : consensus_step_(input.options[option::consensus_step]),
      mixes_momentum_(input.options[option::mixes] == "momentum"),
      outer_(OuterRule::parse(input.options[option::outer])),
      x_(input.initial),
      moved_(input.initial.size()),
      before_(input.initial),
      sent_(input.initial.size()),
      local_(input) {
  if (outer_.kind != OuterRule::Kind::none && outer_.kind != OuterRule::Kind::nesterov)
    throw Misuse("algorithm.outer", input.options[option::outer],
                 "gas-loc has no such momentum; expected nesterov(rho, beta) or none(rho)");
}

template <class Scalar>
Task GasLoc<Scalar>::iterate(Iteration<Scalar>& it) {
  const auto rho = static_cast<Scalar>(outer_.rate);
  const auto beta = static_cast<Scalar>(outer_.momentum);

  // inner: y_i = x_i;  H times: g_i = grad F_i(y_i; xi_i);  y_i <- y_i - eta g_i
  co_await local_.steps(it, x_);

  // outer: u_i = x_i + rho (y_i - x_i)
  moved_.setZero();
  local_.add_to(moved_);
  moved_ = x_ + rho * moved_;

  // momentum: v_i = u_i + beta (u_i - u_i before)
  sent_ = moved_;
  if (mixes_momentum_) sent_ += beta * (moved_ - before_);

  // gossip: x_i <- v_i + gamma sum_j w_ij (v_j - v_i)
  const std::span<const PacketRef> packets = co_await it.exchange(it.lent_packet(sent_));
  x_ = sent_;
  it.report(add_differences(it.mixing(), packets, sent_, consensus_step_, x_));

  // mixes = models: the momentum comes last, x_i <- x_i + beta (u_i - u_i before)
  if (!mixes_momentum_) x_ += beta * (moved_ - before_);
  before_.swap(moved_);
}

template <class Scalar>
void GasLoc<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.state("moved before", before_);
  visitor.scratch("moved", moved_);
  visitor.scratch("sent", sent_);
  local_.visit(visitor);
}

template <class Scalar>
Traffic GasLoc<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return gossip_traffic(rows.at(number - 1), view(x_).size_bytes());
}

MethodInfo gas_loc_info() {
  return {
      .name = "gas-loc",
      .summary = "local steps and gossip with DiLoCo's outer momentum: no common model",
      .equation =
          "u_i = x_i + rho (y_i - x_i); x_i <- v_i + gamma sum_j w_ij (v_j - v_i), v_i = u_i + beta (u_i - "
          "u_i before); "
          "mixes = models: x_i <- u_i + gamma sum_j w_ij (u_j - u_i) + beta (u_i - u_i before)",
      .bytes = "deg (4d + 64)",
      .source = "Cagnasso et al. 2026, arXiv:2606.11081",
      .compressor = CompressorNeed::none,
      .membership = Membership::exact,
      .may_be_joined = true,
      .permits_negative_weights = true,
      .permits_time_varying = true,
      .options = {{option::consensus_step, 1.0},
                  {option::optimizer, "sgd"},
                  {option::local_steps, 10},
                  {option::mixes, "momentum"},
                  {option::outer, "nesterov(0.7, 0.9)"}},
      .outer_gossip =
          [](const MethodOptions& options) {
            return OuterGossip{options[option::consensus_step],
                               OuterRule::parse(options[option::outer]).momentum,
                               options[option::mixes] == "momentum"};
          },
      .trials = {.with = {{.because = "diloco without an all-reduce: one message a neighbor for ten steps",
                           .iterations = 0.15}}},
      .manual = {.iteration = "y_i = x_i after H local steps; u_i = x_i + rho (y_i - x_i); v_i = u_i + beta "
                              "(u_i - u_i before); x_i <- v_i + gamma sum_j w_ij (v_j - v_i)",
                 .memory = "6",
                 .needs = "W doubly stochastic, eigenvalues above -1 / (1 + 2 beta); a static schedule, or a "
                          "small enough gamma"},
      .make = factory<GasLoc>()};
}

}  // namespace hearsay

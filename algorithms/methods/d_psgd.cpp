#include "algorithms/methods/d_psgd.hpp"

#include <optional>
#include <string>

#include "algorithms/methods/parts/full_mixing.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
Task DPsgd<Scalar>::iterate(Iteration<Scalar>& it) {
  // publish: send x_i to every neighbor
  std::optional<Slot> slot;
  if (!adapts_first_) slot = publish(it);

  // gradient: g_i = grad F_i(x_i; xi_i);  s_i = -eta g_i, or the sum of H local steps
  co_await local_.steps(it, x_);
  if (adapts_first_) {
    // x_i <- x_i + s_i;  publish: send x_i to every neighbor
    local_.add_to(x_);
    slot = publish(it);
  }

  // mix: x_i + gamma sum_j w_ij (x_j - x_i), with x_j - x_i from `staleness` iterations before
  const std::uint64_t staleness = past_.size();
  if (mixes_in_place_) {
    const std::span<const PacketRef> packets = co_await it.collect(*slot, it.number());
    if (it.takes_pieces()) {
      it.report(pieces_->mixing.finish(it.mixing(), packets));
      if (!adapts_first_) local_.add_to(mixed_);  // step: + s_i
      pieces_->on_the_way.replace(x_, mixed_);
      co_return;
    }
    it.report(mix_in_place(it.mixing(), packets, consensus_step_, x_, [this](Block block) {
      if (!adapts_first_) local_.add_to(x_, block);  // step: + s_i
    }));
    co_return;
  }
  mixed_ = x_;
  if (it.number() > staleness) {
    const std::span<const PacketRef> packets = co_await it.collect(*slot, it.number() - staleness);
    const Vector<Scalar>& own = staleness == 0 ? x_ : past_[it.number() % staleness];
    it.report(add_differences(it.mixing(), packets, own, consensus_step_, mixed_));
  }

  // step: + s_i
  if (!adapts_first_) local_.add_to(mixed_);
  if (staleness > 0) past_[it.number() % staleness].swap(x_);
  x_.swap(mixed_);
}

/// Sends x_i. If messages come in pieces, they are mixed while the gradient is computed, so apart from x_i,
/// which then travels without a copy.
template <class Scalar>
Slot DPsgd<Scalar>::publish(Iteration<Scalar>& it) {
  if (!it.takes_pieces()) return it.post(it.lent_packet(x_));
  if (!pieces_) pieces_ = std::make_unique<ByPieces>();
  mixed_.resize(x_.size());
  const Slot slot = it.post(pieces_->on_the_way.packet(x_));
  pieces_->mixing.begin_mixing(it, slot, x_, consensus_step_, mixed_);
  return slot;
}

template <class Scalar>
void DPsgd<Scalar>::say_again(Iteration<Scalar>& it) {
  if (!past_.empty()) it.post(full_packet(it, past_[it.number() % past_.size()]));
}

template <class Scalar>
void DPsgd<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  if (mixed_.size() > 0) visitor.scratch("mixed", mixed_);
  for (std::size_t k = 0; k < past_.size(); ++k)
    visitor.state("model of iterations " + std::to_string(k) + " mod " + std::to_string(past_.size()),
                  past_[k]);
  local_.visit(visitor);
}

template <class Scalar>
Traffic DPsgd<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return gossip_traffic(rows.at(number - 1), view(x_).size_bytes());
}

MethodInfo d_psgd_info() {
  return {
      .name = "d-psgd",
      .summary = "decentralized parallel SGD: full-precision gossip",
      .equation = "x_i <- sum_j w_ij x_j - eta g_i",
      .bytes = "deg (4d + 64)",
      .source = "Lian et al. 2017, arXiv:1705.09056, Algorithm 1",
      .compressor = CompressorNeed::none,
      .membership = Membership::exact,
      .may_be_joined = true,
      .permits_negative_weights = true,
      .permits_time_varying = true,
      .options = {{option::consensus_step, 1.0},
                  {option::optimizer, "sgd"},
                  {option::local_steps, 1},
                  {option::staleness, 0},
                  {option::order, "combine-then-adapt"}},
      .orders = {"combine-then-adapt", "adapt-then-combine"},
      .trials = {.with = {{.because = "one message a neighbor, none waits for another: for long latencies"},
                          {.because = "one message a round, which travels during the gradient: full "
                                      "precision on slow networks",
                           .only_on = ScheduledTopology{"exponential", "one-peer-exponential"}},
                          {.because = "one message a neighbor for four steps",
                           .iterations = 0.3,
                           .options = {{option::local_steps, 4}}}}},
      .manual = {.overlap = Overlap::all,
                 .iteration = "x_i <- x_i + gamma sum_j w_ij (x_j - x_i) - eta g_i, gamma = 1 unless said",
                 .memory = "2 (+ s + 1 with `staleness = s`)",
                 .needs = "W doubly stochastic; with staleness symmetric, the same in every round, gamma (1 "
                          "- lambda_n) < 2 sin(pi / (2 (2s + 1)))"},
      .make = factory<DPsgd>()};
}

}  // namespace hearsay

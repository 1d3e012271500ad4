#include "algorithms/methods/fed_vote.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "algorithms/methods/parts/answers.hpp"
#include "algorithms/methods/parts/downlink.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

namespace option {
const TextOption vote("vote", {{"binary", "ternary"}},
                      "what a worker sends for a weight w: a random sign with mean w, in a bit (`binary`); "
                      "or its sign or 0, with the same mean and less noise, in 1.6 bits (`ternary`)");
const TextOption trust("trust", {{"equal", "votes"}},
                       "how the hub weighs votes: all alike, or each worker by how often it voted with the "
                       "majority (`votes`); those below the mean then do not count");
}  // namespace option

namespace {

constexpr double steepness = 1.5;              // a
constexpr double largest_weight = 1.0 - 1e-4;  // of a clamped m

/// tanh(a h)
template <class Scalar>
Scalar weight_of(Scalar latent) {
  return static_cast<Scalar>(std::tanh(steepness * static_cast<double>(latent)));
}

/// atanh(clamp(w))/a; NaN stays NaN
template <class Scalar>
Scalar latent_of(Scalar weight) {
  const double clamped = std::clamp(static_cast<double>(weight), -largest_weight, largest_weight);
  return static_cast<Scalar>(std::atanh(clamped) / steepness);
}

}  // namespace

template <class Scalar>
FedVote<Scalar>::FedVote(const MethodInput<Scalar>& input)
    : is_hub_(input.self == hub_id),
      form_(vote_form(input.options[option::vote])),
      steps_(input.options[option::local_steps]),
      optimizer_(make_local_optimizer<Scalar>(input.options[option::optimizer], input.initial.size(),
                                              input.segments)),
      latent_(input.initial.unaryExpr(&latent_of<Scalar>)),
      weights_(latent_.unaryExpr(&weight_of<Scalar>)),
      point_(latent_.size()) {
  if (!optimizer_->is_sgd()) step_.resize(latent_.size());
  if (!is_hub_) return;
  tally_.resize(latent_.size());
  if (input.options[option::trust] == "votes") trust_.setOnes(static_cast<Index>(input.peer_count));
}

/// y <- y - eta dl/dy, or by the optimizer, for the gradient in point_
template <class Scalar>
void FedVote<Scalar>::take_local_step(Scalar step_size) {
  if (step_.size() == 0) {
    latent_ -= step_size * point_;
  } else {
    optimizer_->step(latent_, point_, step_size, step_);
    latent_ += step_;
  }
}

/// m = sum nu_i v_i
template <class Scalar>
void FedVote<Scalar>::count(std::span<const Ballot> ballots) {
  Scalar sum_of_weights = 0;
  tally_.setZero();
  for (const Ballot& ballot : ballots) {
    sum_of_weights += ballot.weight;
    for_each_vote(form_, ballot.votes, tally_.size(),
                  [&](Index k, int vote) { tally_[k] += ballot.weight * static_cast<Scalar>(vote); });
  }
  tally_ /= sum_of_weights;
}

/// kappa_i <- kappa_i/2 + (share of coordinates where v_i is the majority's)/2; those below the mean weigh 0.
/// The tally is that of equal weights.
template <class Scalar>
void FedVote<Scalar>::judge(std::span<Ballot> ballots) {
  double sum = 0.0;
  double largest = 0.0;
  for (Ballot& ballot : ballots) {
    Index agreeing = 0;
    for_each_vote(form_, ballot.votes, tally_.size(), [&](Index k, int vote) {
      const int majority = (tally_[k] > 0 ? 1 : 0) - (tally_[k] < 0 ? 1 : 0);
      if (majority == 0 || vote == majority) ++agreeing;
    });
    Scalar& trust = trust_[ballot.worker];
    trust = (trust + static_cast<Scalar>(agreeing) / static_cast<Scalar>(tally_.size())) / 2;
    ballot.weight = trust;
    sum += static_cast<double>(trust);
    largest = std::max(largest, static_cast<double>(trust));
  }
  // The mean of equal numbers may be rounded up, so the largest counts in any case.
  const double least = std::min(sum / static_cast<double>(ballots.size()), largest);
  for (Ballot& ballot : ballots)
    if (static_cast<double>(ballot.weight) < least) ballot.weight = 0;
}

template <class Scalar>
Task FedVote<Scalar>::iterate(Iteration<Scalar>& it) {
  // down: h;  w = tanh(a h)
  if (is_hub_) {
    tell_model(it, latent_);
  } else {
    const std::span<const PacketRef> packets = co_await it.collect(0);
    if (!hear_model(it, packets, latent_)) co_return;
    weights_ = latent_.unaryExpr(&weight_of<Scalar>);
  }

  PacketRef answer;
  CodecStatus cast = CodecStatus::ok;
  if (it.mixing().trains) {
    // local: y = h;  H times: y <- y - eta a (1 - u^2) g_i(u),  u = tanh(a y)
    point_ = weights_;
    for (std::uint64_t taken = 0; taken < steps_; ++taken) {
      if (taken > 0) it.next_minibatch();
      const Vector<Scalar>& gradient = co_await it.gradient(point_);
      point_ = static_cast<Scalar>(steepness) * (1 - point_.array().square()) * gradient.array();
      take_local_step(it.step_size());
      point_ = latent_.unaryExpr(&weight_of<Scalar>);
    }

    // up: i -> hub: v_i, votes for u = tanh(a y)
    PacketBuffer buffer = it.new_packet();
    RandomStream random = it.random(Purpose::compression);
    cast = cast_votes(form_, point_, random, buffer);
    it.report(cast);
    if (cast != CodecStatus::ok) weights_ = point_;  // NaN, which votes cannot tell
    answer = std::move(buffer).seal();
  }
  if (!is_hub_) {
    it.post(answer);
    co_return;
  }

  // tally: m = sum_{i in S_t} nu_i v_i;  trust: nu_i ~ kappa_i
  const std::span<const PacketRef> packets = co_await it.collect(0);
  ballots_.clear();
  take_answers(it, answer, packets, [&](PeerId worker, std::span<const std::byte> votes) {
    if (!are_votes(form_, votes, tally_.size())) return CodecStatus::malformed;
    ballots_.push_back({worker, votes});
    return CodecStatus::ok;
  });
  if (ballots_.empty() || cast != CodecStatus::ok) co_return;
  count(ballots_);
  if (trust_.size() != 0) {
    judge(ballots_);
    count(ballots_);
  }

  // step: h <- atanh(clamp(m))/a;  w <- tanh(a h)
  latent_ = tally_.unaryExpr(&latent_of<Scalar>);
  weights_ = latent_.unaryExpr(&weight_of<Scalar>);
}

template <class Scalar>
void FedVote<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", weights_);
  visitor.state("latent", latent_);
  optimizer_->visit_state(visitor);
  if (step_.size() != 0) visitor.scratch("local step", step_);
  visitor.scratch("local point", point_);
  if (!is_hub_) return;
  visitor.scratch("tally", tally_);
  if (trust_.size() != 0) visitor.state("trust", trust_);
}

template <class Scalar>
Traffic FedVote<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  return is_hub_ ? model_traffic(number, rows, view(latent_).size_bytes())
                 : gossip_traffic(rows.at(number - 1), votes_bytes(form_, latent_.size()));
}

MethodInfo fed_vote_info() {
  return {
      .name = "fed-vote",
      .aliases = {"fedvote"},
      .summary = "a hub: local steps, then the workers vote on each weight's sign, in a bit; w in (-1, 1)",
      .equation = "y_i = h after H local steps, w = tanh(1.5 h); tanh(1.5 h) <- sum_i nu_i vote(w(y_i))",
      .bytes = "hub r (4d + 64), worker d/8 + 64, ternary d/5 + 64",
      .source = "Yue et al. 2021, arXiv:2110.02998",
      .compressor = CompressorNeed::none,
      .membership = Membership::exact,
      .may_be_joined = true,
      .pattern = Pattern::star,
      .permits_negative_weights = true,
      .permits_time_varying = true,
      .answers_may_be_late = true,
      .options = {{option::optimizer, "adam(0.9, 0.999)"},
                  {option::local_steps, 40},
                  {option::vote, "binary"},
                  {option::trust, "equal"}},
      .trials =
          {.none_because =
               "a few votes know a weight only roughly: its loss has a floor, and weights stay in (-1, 1)"},
      .manual = {.memory = "hub 8, worker 7", .needs = "a hub and workers; a minimiser in (-1, 1)^d"},
      .make = factory<FedVote>()};
}

}  // namespace hearsay

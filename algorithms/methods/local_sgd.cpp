#include "algorithms/methods/local_sgd.hpp"

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

namespace option {
const TextOption inner_state("inner_state", {{"keep", "reset", "average"}},
                             "the local optimizer's state after a round: `keep` it, `reset` it, or `average` "
                             "it over the peers, which is sent, too");
}  // namespace option

template <class Scalar>
Task LocalSgd<Scalar>::iterate(Iteration<Scalar>& it) {
  // inner: y_i = x;  H times: g_i = grad F_i(y_i; xi_i);  y_i <- y_i - eta g_i
  if (resets_) local_.begin_anew();
  co_await local_.steps(it, x_);

  // reduce: D = (1/n) sum_i (x - y_i)
  drift_.setZero();
  local_.add_to(drift_);
  if (averages()) {
    sum_.head(drift_.size()) = drift_;
    averaged_.copy_to_end_of(sum_);
  }
  Vector<Scalar>& sum = averages() ? sum_ : drift_;
  co_await all_reduce_.sum(it, view(sum));
  const Scalar share = Scalar(1) / static_cast<Scalar>(peer_count_);
  if (averages()) {
    drift_ = sum_.head(drift_.size());
    averaged_.take_from_end_of(sum_, share);
  }
  drift_ *= -share;

  // outer: x <- x - rho D, or with momentum
  outer_.apply(drift_, it.step_size(), x_);
}

template <class Scalar>
void LocalSgd<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.scratch("drift", drift_);
  if (averages()) visitor.scratch("sum", sum_);
  local_.visit(visitor);
  outer_.visit(visitor);
}

template <class Scalar>
Traffic LocalSgd<Scalar>::traffic(std::uint64_t, const PeerRows&) const {
  return all_reduce_.traffic(static_cast<std::uint64_t>(averages() ? sum_.size() : x_.size()),
                             sizeof(Scalar));
}

namespace {

std::vector<std::uint64_t> summed_of(const MethodOptions& options, std::uint64_t d,
                                     const SegmentTable& segments) {
  if (options[option::inner_state] != "average") return {d};
  StateVectors<float> averaged;
  const auto optimizer =
      make_local_optimizer<float>(options[option::optimizer], static_cast<Index>(d), segments);
  optimizer->visit_state(averaged);
  return {d + static_cast<std::uint64_t>(averaged.size())};
}

/// What the three methods have in common.
MethodInfo local_sgd_family(const std::string& outer) {
  return {.name = {},
          .summary = {},
          .equation = {},
          .bytes = "2(n-1) (4d/n + 64) round the ring, log2 n (4d + 64) by doubling",
          .source = {},
          .compressor = CompressorNeed::none,
          .membership = Membership::by_agreement,
          .pattern = Pattern::ring,
          .permits_negative_weights = true,
          .permits_time_varying = true,
          .options = {{option::optimizer, "sgd"},
                      {option::local_steps, 10},
                      {option::outer, outer},
                      {option::inner_state, "keep"},
                      {option::reduce, "auto"}},
          .pattern_with = reduce_pattern,
          .summed = summed_of,
          .manual = {.needs = "nothing of W"},
          .make = factory<LocalSgd>()};
}

}  // namespace

MethodInfo local_sgd_info() {
  MethodInfo info = local_sgd_family("none(1)");
  info.name = "local-sgd";
  info.summary = "H local steps, then the mean of the models by all-reduce";
  info.equation = "y_i = x after H local steps; x <- (1/n) sum_j y_j";
  info.source = "Stich 2019, arXiv:1805.09767, Algorithm 1";
  info.manual.memory = "4";
  info.trials = {.with = {{.because = "one all-reduce for ten steps: for slow networks", .iterations = 0.2}}};
  return info;
}

MethodInfo diloco_info() {
  MethodInfo info = local_sgd_family("nesterov(0.7, 0.9)");
  info.name = "diloco";
  info.summary = "H local steps, then an outer Nesterov step by the mean drift, by all-reduce";
  info.equation =
      "D = (1/n) sum_j (x - y_j); x by the outer rule: m <- beta m + D; x <- x - rho (D + beta m)";
  info.source = "Douillard et al. 2023, arXiv:2311.08105, Algorithm 1";
  info.manual.memory = "5";
  info.trials = {.with = {{.because = "local-sgd with momentum over the rounds, which saves many of them",
                           .iterations = 0.1}}};
  return info;
}

MethodInfo slowmo_info() {
  MethodInfo info = local_sgd_family("slowmo(1, 0.5)");
  info.name = "slowmo";
  info.summary = "H local steps, then slow momentum on the mean drift, by all-reduce";
  info.equation = "D = (1/n) sum_j (x - y_j); m <- beta m + D/eta; x <- x - alpha eta m";
  info.source = "Wang et al. 2020, arXiv:1910.00643, Algorithm 1";
  info.manual.memory = "5";
  info.trials = {.with = {{.because = "local-sgd with slow momentum", .iterations = 0.15}}};
  return info;
}

}  // namespace hearsay

#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/methods/ad_psgd.hpp"
#include "algorithms/seam/method_factory.hpp"
#include "runtime/experiment/experiment.hpp"

namespace hearsay::test {

/// An event of an asynchronous run that changes a model, logged in order. A peer's step comes right before
/// its next start, or at the end of the run.
struct LoggedEvent {
  enum class Kind { start, average } kind;
  PeerId peer;              ///< start: the peer that begins; average: the peer that asked
  PeerId other;             ///< average: the peer that answered
  std::uint64_t iteration;  ///< start: the iteration that begins
};

/// ad-psgd with a log, common to all peers of this process.
template <class Scalar>
class LoggedAdPsgd final : public Algorithm<Scalar>, private Answering<Scalar> {
 public:
  static inline std::vector<LoggedEvent> log = {};

  explicit LoggedAdPsgd(const MethodInput<Scalar>& input)
      : self_(input.self), method_(ad_psgd_info().make(input)) {}

  Task iterate(Iteration<Scalar>& it) override {
    log.push_back({LoggedEvent::Kind::start, self_, self_, it.number()});
    return method_->iterate(it);
  }
  Answering<Scalar>* answering() override { return this; }
  const Vector<Scalar>& model() const override { return method_->model(); }
  void visit_state(StateVisitor<Scalar>& visitor) override { method_->visit_state(visitor); }
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override {
    return method_->traffic(number, rows);
  }

 private:
  PacketRef answer(Iteration<Scalar>& it, PeerId from, const PacketRef& request) override {
    log.push_back({LoggedEvent::Kind::average, from, self_, it.number()});
    return method_->answering()->answer(it, from, request);
  }
  void take_reply(Iteration<Scalar>& it, PeerId from, const PacketRef& reply) override {
    method_->answering()->take_reply(it, from, reply);
  }

  PeerId self_;
  std::unique_ptr<Algorithm<Scalar>> method_;
};

/// The MethodInfo of LoggedAdPsgd.
inline const MethodInfo& logged_ad_psgd() {
  static const MethodInfo info = [] {
    MethodInfo logged = ad_psgd_info();
    logged.make = factory<LoggedAdPsgd>();
    return logged;
  }();
  return info;
}

/// Algorithm 1 on all models at once, X in R^{d x n} with a column a peer, event by event:
///
///     average(i, j)   X <- X W_k, W_k the identity but for 1/2 in rows and columns i and j
///     step(i)         X <- X - eta dF_i(Xhat), Xhat's column i being X's at the start of i's iteration
template <class Scalar>
Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> replayed(const Experiment<Scalar>& experiment,
                                                               const std::vector<LoggedEvent>& log) {
  const auto n = static_cast<Index>(experiment.peer_count());
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> X = experiment.problem.initial.replicate(1, n);
  auto Xhat = X;
  const auto step = [&](PeerId i, std::uint64_t iteration) {
    const Objective<Scalar>& objective = *experiment.problem.objectives[i];
    RandomStream random(experiment.settings.run.seed, i, iteration, Purpose::minibatch);
    std::vector<Index> samples;
    for (std::uint64_t k = 0; k < experiment.settings.algorithm.batch.value(); ++k)
      samples.push_back(
          static_cast<Index>(random.below(static_cast<std::uint64_t>(objective.sample_count()))));
    Vector<Scalar> gradient(X.rows());
    objective.gradient(Xhat.col(i), samples, gradient);
    X.col(i) -= static_cast<Scalar>(experiment.step_size.at(iteration)) * gradient;
  };
  for (const LoggedEvent& event : log) {
    const auto i = static_cast<Index>(event.peer);
    const auto j = static_cast<Index>(event.other);
    if (event.kind == LoggedEvent::Kind::average) {
      X.col(i) = Scalar(0.5) * (X.col(i) + X.col(j));
      X.col(j) = X.col(i);
    } else {
      if (event.iteration > 1) step(event.peer, event.iteration - 1);
      Xhat.col(i) = X.col(i);
    }
  }
  for (PeerId i = 0; i < experiment.peer_count(); ++i) step(i, experiment.iterations);
  return X;
}

}  // namespace hearsay::test

#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/objectives/problem.hpp"
#include "runtime/observer/evaluator.hpp"
#include "runtime/observer/run_judge.hpp"
#include "runtime/record/outcome.hpp"

namespace hearsay {

/// Collects the models of all peers at the same iteration, evaluates their mean and decides whether the run
/// goes on. Pure: used by the simulator and, behind sockets that no emulated link delays, in real runs.
/// Snapshots of several iterations may be incomplete at the same time; each peer sends its own in order.
template <class Scalar>
class Observer final : public Evaluator {
 public:
  /// `rules`: what is evaluated, when the run ends, and which model is kept.
  explicit Observer(const Problem<Scalar>& problem, const RunSettings::Run& rules = {})
      : problem_(&problem),
        rules_(rules),
        judge_(judge_of(problem, rules)),
        counts_from_(problem.peer_count()),
        last_meters_(problem.peer_count()),
        before_(problem.peer_count()) {}

  Verdict begin() override;
  std::vector<Verdict> resume(const std::vector<Evaluation>& record,
                              const std::optional<KeptModel>& kept) override;
  std::optional<std::vector<Verdict>> take_payload(PeerId peer, std::uint64_t iteration,
                                                   std::span<const std::byte> payload) override;
  std::vector<Verdict> drop(PeerId peer) override;
  void take_back(PeerId peer, std::uint64_t iteration) override;
  void take_in(PeerId peer, std::uint64_t iteration) override;
  const std::vector<Evaluation>& evaluations() const override { return evaluations_; }
  const std::vector<PeerMeters>& last_meters() const override { return last_meters_; }
  std::size_t model_bytes() const override {
    return static_cast<std::size_t>(problem_->dimension()) * sizeof(Scalar);
  }
  RunResult conclude(std::vector<PeerOutcome> peers) const override;

  /// Peer `peer` has ended iteration `iteration` with this model. Returns the verdict if no model is missing
  /// any more, else nothing.
  std::optional<Verdict> take(PeerId peer, std::uint64_t iteration, const Vector<Scalar>& model,
                              const PeerMeters& meters);

  /// The models of the last complete evaluation, by peer; empty vectors for peers that are gone.
  const std::vector<Vector<Scalar>>& models() const { return models_; }
  const Vector<Scalar>& mean_model() const { return mean_; }
  std::optional<std::uint64_t> best_iteration() const override;
  KeptModel best() const override;
  const RunJudge& verdicts() const { return judge_; }
  /// Returns `result` with the models, the mean model and the best model.
  RunOutcome<Scalar> with_models(RunResult result) const {
    return {std::move(result), models_, mean_, best_ ? best_->model : Vector<Scalar>()};
  }

 private:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  struct Gathering {
    std::vector<Vector<Scalar>> models;
    std::vector<PeerMeters> meters;
    PeerId known_to_be_there = 0;  ///< the models of all peers below this one are there, or not needed
  };
  /// True if the models of all peers that this evaluation needs are there. Looks at each peer once.
  bool complete(std::uint64_t iteration, Gathering& gathered) const;
  Evaluation evaluate(std::uint64_t iteration, const Gathering& gathered);
  std::pair<double, double> losses_of(const std::vector<Vector<Scalar>>& models) const;
  Verdict judge(const Evaluation& evaluation);
  static RunJudge judge_of(const Problem<Scalar>& problem, const RunSettings::Run& rules) {
    const bool has_test_data = problem.accuracy && problem.judged.are_test;
    return {rules, has_test_data ? BestBy::accuracy : BestBy::loss};
  }

  const Problem<Scalar>* problem_;
  RunSettings::Run rules_;
  RunJudge judge_;
  std::map<std::uint64_t, Gathering> gathering_;
  std::vector<std::uint64_t> counts_from_;  // by peer: the first evaluation that needs its model
  std::vector<PeerMeters> last_meters_;     // by peer
  struct Before {                           // meters of the earlier processes of a peer that has joined
    std::uint64_t bytes_sent = 0;
    std::uint64_t messages_sent = 0;
    std::uint64_t gradient_evaluations = 0;
  };
  std::vector<Before> before_;
  std::vector<Evaluation> evaluations_;
  struct Best {
    Evaluation of;
    Vector<Scalar> model;  // the mean model
  };
  std::optional<Best> best_;  // so far; empty under run.keep = "last"
  std::vector<Vector<Scalar>> models_;
  Vector<Scalar> mean_;
};

/// Returns the mean of the models, summed in peer order in double. Ignores empty ones (peers that are gone);
/// at least one must not be empty.
template <class Scalar>
Vector<Scalar> mean_of(const std::vector<Vector<Scalar>>& models);

/// Returns sqrt((1/n) sum_i ||x_i - mean||^2) over the models that are not empty.
template <class Scalar>
double consensus_distance(const std::vector<Vector<Scalar>>& models, const Vector<Scalar>& mean);

}  // namespace hearsay

#include "tools/training/first_iterations.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "algorithms/arithmetic/reductions.hpp"
#include "runtime/experiment/memory_need.hpp"
#include "runtime/foundation/machine.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tools/training/borrowed_objective.hpp"

namespace hearsay {

namespace {

/// The objective of a run that is tried out. What stands for its loss costs no pass over the data.
template <class Scalar>
class TriedObjective final : public BorrowedObjective<Scalar> {
 public:
  TriedObjective(const Objective<Scalar>& owner, const Vector<Scalar>& start,
                 std::optional<std::size_t> most_samples)
      : BorrowedObjective<Scalar>(owner), start_(start), most_samples_(most_samples) {}
  void minibatch_gradient(const Vector<Scalar>& x, const Minibatch& minibatch,
                          Vector<Scalar>& gradient) const override {
    Minibatch some = minibatch;
    if (most_samples_) some.samples = some.samples.first(std::min(*most_samples_, some.samples.size()));
    BorrowedObjective<Scalar>::minibatch_gradient(x, some, gradient);
  }
  double loss(const Vector<Scalar>& x) const override {
    return squared_distance(view(x), view(start_)) / static_cast<double>(x.size());
  }
  LocalScore score(const Vector<Scalar>& x) const override { return Objective<Scalar>::score(x); }

 private:
  const Vector<Scalar>& start_;
  std::optional<std::size_t> most_samples_;
};

/// The problem with objectives of which only the gradients are computed. `problem` must outlive it.
template <class Scalar>
Problem<Scalar> tried(const Problem<Scalar>& problem, std::optional<std::size_t> most_samples) {
  Problem<Scalar> trial;
  for (const auto& objective : problem.objectives)
    trial.objectives.push_back(
        std::make_unique<TriedObjective<Scalar>>(*objective, problem.initial, most_samples));
  trial.initial = problem.initial;
  trial.regularizer = problem.regularizer;
  trial.at_home = problem.at_home;
  return trial;
}

}  // namespace

bool ends_otherwise(const MethodInfo& method) {
  // Asynchronous peers have no last iteration in common.
  return method.manual.overlap != Overlap::none && !method.asynchronous;
}

template <class Scalar>
RunOutcome<Scalar> simulate_first(Experiment<Scalar>& experiment, std::uint64_t iterations, Duration gradient,
                                  std::chrono::steady_clock::time_point give_up,
                                  std::optional<std::size_t> most_samples) {
  const RunSettings::Run run = experiment.settings.run;
  const std::uint64_t all = experiment.iterations;
  const std::uint64_t first = std::min(all, iterations);
  const bool one_more = all > first && ends_otherwise(*experiment.method);
  experiment.iterations = one_more ? first + 1 : first;
  experiment.settings.run.judge_nothing();
  const EvaluationFrames evaluations =
      std::exchange(experiment.settings.evaluations, EvaluationFrames::free);  // few iterations have many
  const std::vector<FaultTable> faults = std::exchange(experiment.settings.faults, {});
  const std::vector<PeerId> later = std::exchange(experiment.settings.failure.join_later, {});
  experiment.settings.run.evaluate_after(std::max<std::uint64_t>(1, first / 2));
  RunControl control;
  control.out_of_patience = [&] { return std::chrono::steady_clock::now() >= give_up; };
  Problem<Scalar> trial = tried(experiment.problem, most_samples);
  std::swap(experiment.problem, trial);
  RunOutcome<Scalar> outcome = simulate(experiment, gradient, control);
  std::swap(experiment.problem, trial);
  if (one_more && !outcome.evaluations.empty() && outcome.evaluations.back().iteration > first)
    outcome.evaluations.pop_back();
  experiment.iterations = all;
  experiment.settings.run = run;
  experiment.settings.evaluations = evaluations;
  experiment.settings.faults = faults;
  experiment.settings.failure.join_later = later;
  return outcome;
}

template <class Scalar>
bool may_be_tried(const Experiment<Scalar>& experiment) {
  return memory_of_peers(experiment, held_peers(experiment.topology, {})) <=
         static_cast<double>(machine_memory()) / 16.0;
}

template <class Scalar>
std::vector<Index> samples_to_time(const Experiment<Scalar>& experiment, const Objective<Scalar>& objective) {
  const Index local = objective.sample_count();
  const auto& batch = experiment.settings.algorithm.batch;
  std::vector<Index> samples(static_cast<std::size_t>(local == 0 ? 0
                                                      : batch    ? static_cast<Index>(*batch)
                                                                 : local));
  for (std::size_t k = 0; k < samples.size(); ++k) samples[k] = static_cast<Index>(k) % local;
  return samples;
}

#define HEARSAY_FIRST_ITERATIONS(Scalar)                                                           \
  template RunOutcome<Scalar> simulate_first<Scalar>(Experiment<Scalar>&, std::uint64_t, Duration, \
                                                     std::chrono::steady_clock::time_point,        \
                                                     std::optional<std::size_t>);                  \
  template bool may_be_tried<Scalar>(const Experiment<Scalar>&);                                   \
  template std::vector<Index> samples_to_time<Scalar>(const Experiment<Scalar>&, const Objective<Scalar>&);
HEARSAY_FIRST_ITERATIONS(float)
HEARSAY_FIRST_ITERATIONS(double)
#undef HEARSAY_FIRST_ITERATIONS

}  // namespace hearsay

#include "tools/training/first_iterations.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/simulator/simulator.hpp"

namespace hearsay {

template <class Scalar>
RunOutcome<Scalar> simulate_first(Experiment<Scalar>& experiment, std::uint64_t iterations, Duration gradient,
                                  std::chrono::steady_clock::time_point give_up) {
  const RunSettings::Run run = experiment.settings.run;
  const std::uint64_t all = std::exchange(experiment.iterations, std::min(experiment.iterations, iterations));
  experiment.settings.run.judge_nothing();
  const EvaluationFrames evaluations =
      std::exchange(experiment.settings.evaluations, EvaluationFrames::free);  // few iterations have many
  const std::vector<FaultTable> faults = std::exchange(experiment.settings.faults, {});
  const std::vector<PeerId> later = std::exchange(experiment.settings.failure.join_later, {});
  experiment.settings.run.evaluate_after(std::max<std::uint64_t>(1, experiment.iterations / 2));
  RunControl control;
  control.out_of_patience = [&] { return std::chrono::steady_clock::now() >= give_up; };
  RunOutcome<Scalar> outcome = simulate(experiment, gradient, control);
  experiment.iterations = all;
  experiment.settings.run = run;
  experiment.settings.evaluations = evaluations;
  experiment.settings.faults = faults;
  experiment.settings.failure.join_later = later;
  return outcome;
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
                                                     std::chrono::steady_clock::time_point);       \
  template std::vector<Index> samples_to_time<Scalar>(const Experiment<Scalar>&, const Objective<Scalar>&);
HEARSAY_FIRST_ITERATIONS(float)
HEARSAY_FIRST_ITERATIONS(double)
#undef HEARSAY_FIRST_ITERATIONS

}  // namespace hearsay

#include "tools/training/training.hpp"

#include <chrono>

#include "runtime/program/program.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/training/first_iterations.hpp"
#include "tools/training/scalar_dispatch.hpp"
#include "tools/training/training_run.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

bool anything_to_measure(const RunSettings& settings) {
  const auto measured = [](const NetworkSettings& network) {
    return network.compute.kind == ComputeTime::Kind::measured;
  };
  if (measured(settings.network)) return true;
  for (const auto& [peer, network] : settings.peer_networks)
    if (measured(network)) return true;
  return false;
}

}  // namespace

template <class Scalar>
Duration measured_gradient_of(const Experiment<Scalar>& experiment) {
  if (!anything_to_measure(experiment.settings)) return Duration{0};
  using Clock = std::chrono::steady_clock;
  constexpr int most_repetitions = 16;
  constexpr auto enough = std::chrono::milliseconds(200);
  const Problem<Scalar>& problem = experiment.problem;
  std::vector<const Objective<Scalar>*> with_data;
  for (const auto& objective : problem.objectives)
    if (objective->has_data()) with_data.push_back(objective.get());
  Vector<Scalar> gradient(problem.dimension());
  Duration total{0};
  int counted_repetitions = 0;
  // The first gradient, which brings data and code into the caches, does not count.
  for (int repetition = 0; repetition <= most_repetitions && total < enough; ++repetition) {
    const auto& objective = *with_data[static_cast<std::size_t>(repetition) % with_data.size()];
    const std::vector<Index> samples = samples_to_time(experiment, objective);
    const Clock::time_point begin = Clock::now();
    objective.gradient(problem.initial, samples, gradient);
    if (repetition == 0) continue;
    total += Clock::now() - begin;
    ++counted_repetitions;
  }
  return total / counted_repetitions;
}

FinishedRun train(const RunSettings& settings, const TrainingOptions& options) {
  return with_scalar(settings.run.scalar,
                     [&]<class Scalar>() { return train_as<Scalar>(settings, options); });
}

std::string label_of(const SweepPoint& point) {
  std::string label = point.variant;
  for (const auto* const values : {&point.axes, &point.tuned})
    for (const auto& [key, value] : *values) label += (label.empty() ? "" : ", ") + key + " = " + value;
  return label.empty() ? point.run.run.name : label;
}

EarlierOutput earlier_output(const RunOptions& options, const RunSettings& settings) {
  if (!options.resume) return options.overwrite ? EarlierOutput::replaced : EarlierOutput::refused;
  if (options.overwrite)
    throw Misuse("--resume goes on with the output that --overwrite would replace; expected one of them");
  if (!settings.failure.keeps_checkpoints())
    throw Misuse("failure.checkpoint_every", "0",
                 "a run that is to be resumed takes checkpoints; expected at least 1");
  return EarlierOutput::continued;
}

template <class Scalar>
std::string say_end(const Problem<Scalar>& problem, int code, const std::string& reason,
                    const std::string& output, std::span<const PeerId> dropped) {
  if (!problem.say_end) return {};
  try {
    problem.say_end(code, reason, output, dropped);
  } catch (const ProgramFailure& failure) {
    print_notice(failure.what());
    return failure.what();
  }
  return {};
}

int exit_code_of(const FinishedRun& run) {
  return run.program_failure.empty() ? exit_code_of(run.status) : exit_lost;
}

int exit_code_of(RunStatus status) {
  switch (status) {
    case RunStatus::done:
    case RunStatus::target:
    case RunStatus::plateau:
      return exit_done;
    case RunStatus::diverged:
      return exit_diverged;
    case RunStatus::interrupted:
      return exit_interrupted;
    case RunStatus::lost:
      return exit_lost;
  }
  return exit_done;
}

template Duration measured_gradient_of<float>(const Experiment<float>&);
template Duration measured_gradient_of<double>(const Experiment<double>&);
template std::string say_end<float>(const Problem<float>&, int, const std::string&, const std::string&,
                                    std::span<const PeerId>);
template std::string say_end<double>(const Problem<double>&, int, const std::string&, const std::string&,
                                     std::span<const PeerId>);

}  // namespace hearsay

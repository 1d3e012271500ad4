#include "tools/training/training.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <thread>

#include "runtime/checkpoint/archive.hpp"
#include "runtime/network/kernel_network.hpp"
#include "runtime/process/local_run.hpp"
#include "runtime/program/program.hpp"
#include "runtime/security/credentials.hpp"
#include "runtime/simulator/simulator.hpp"
#include "runtime/simulator/sized_run.hpp"
#include "runtime/wire/frame.hpp"
#include "tools/report/run_watcher.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/terminal/progress.hpp"
#include "tools/training/expected_time.hpp"
#include "tools/training/first_iterations.hpp"
#include "tools/training/learned_point.hpp"
#include "tools/training/provenance.hpp"
#include "tools/training/scalar_dispatch.hpp"
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

/// Tells the other peers that peer 0 cannot go on with the run. They would wait for it; now they end with the
/// same sentence.
template <class Scalar>
void tell_others(const Experiment<Scalar>& experiment, const TrainingOptions& options, const Misuse& misuse) {
  const HostsPatience& patience = *options.as_first_of_hosts;
  print_notice("peer 0 cannot go on with the run, and tells the others so, for " + to_text(patience.start) +
               " at most: " + misuse.what());
  RunControl control;
  control.notice = print_notice;
  control.interrupted = &options.stop->interrupted;
  options.stop->is_heeded = true;
  turn_peers_away(experiment, patience, control, options.place,
                  std::string("peer 0 cannot go on with the run: ") + misuse.what());
}

void require_enough_iterations(const RunDirectory& directory, std::uint64_t iterations) {
  if (const auto& record = directory.record(); record && record->back().iteration > iterations)
    throw Misuse("run.iterations", std::to_string(iterations),
                 "the run that is to be resumed has done " + std::to_string(record->back().iteration) +
                     " already; expected at least as many");
}

/// Returns the seconds that a run of processes on this machine would have taken if nothing else had run
/// there. Empty if they cannot be told in a few percent of its time and a modest amount of memory.
template <class Scalar>
std::optional<double> expected_seconds_of(Experiment<Scalar>& experiment, const RunOutcome<Scalar>& outcome,
                                          const RunControl& control) {
  constexpr double most_model_bytes =
      100e6;  // of all peers, which the simulator holds at once, with replicas
  const double model_bytes = static_cast<double>(experiment.peer_count()) *
                             static_cast<double>(experiment.problem.dimension()) * sizeof(Scalar);
  if (!came_to_its_end(outcome.status) || control.resumes || model_bytes > most_model_bytes ||
      !repeats_its_iterations(experiment.settings, *experiment.method) || experiment.problem.at_home)
    return std::nullopt;
  const std::chrono::duration<double> patience(std::clamp(0.05 * outcome.seconds, 0.05, 2.0));
  if (seconds_to_try(outcome) > patience.count()) return std::nullopt;
  const auto tried = try_iterations(experiment, std::chrono::duration_cast<Duration>(patience));
  if (!tried) return std::nullopt;
  return expected_seconds(outcome, *tried, std::max(1u, std::thread::hardware_concurrency()));
}

/// Which objectives this process computes.
Home home_of(const TrainingOptions& options) {
  if (!options.as_first_of_hosts) return {.notice = print_notice};
  return {.peer = observer_peer, .program_channel = options.program_channel, .notice = print_notice};
}

/// Tells the times and bytes of a model that is only a size.
template <class Scalar>
FinishedRun time_size(const RunSettings& settings, const TrainingOptions& options) {
  if (options.timeline || options.watcher)
    throw Misuse("model.kind", settings.model.kind,
                 "a size is timed at once, without a run to watch; leave out --trace and --live");
  SizedRun<Scalar> run = sized_run<Scalar>(settings);
  options.before_output();
  for (const std::string& warning : run.experiment.warnings)
    print_notice((options.title.empty() ? "" : options.title + ": ") + "warning: " + warning);
  auto point = learned_point(std::move(run.experiment), std::move(run.traced), Duration{0});
  FinishedRun finished = point->on_network_of(settings, options.earlier, options.save);
  if (options.learned) *options.learned = std::move(point);
  return finished;
}

template <class Scalar>
FinishedRun train_as(const RunSettings& settings, const TrainingOptions& options) {
  if (options.driver == Driver::simulator && is_only_a_size(settings))
    return time_size<Scalar>(settings, options);
  const Provenance provenance(options.command);
  const bool tells = options.tells_others && options.earlier == EarlierOutput::continued;
  std::optional<RunDirectory> found;
  try {
    found.emplace(settings.run.output, options.earlier, print_notice);
  } catch (const Misuse& misuse) {
    if (tells) tell_others(prepare<Scalar>(settings, home_of(options)), options, misuse);
    throw;
  }
  RunDirectory& directory = *found;
  Experiment<Scalar> experiment = prepare<Scalar>(settings, home_of(options));
  try {
    require_enough_iterations(directory, experiment.iterations);
    if (tells) PeerArchive<Scalar>(experiment, observer_peer, archive_directory(settings)).holds();
  } catch (const Misuse& misuse) {
    if (tells) tell_others(experiment, options, misuse);
    throw;
  }
  options.stop->is_heeded = true;
  FinishedRun finished;
  finished.output = directory.path();
  finished.warnings = experiment.warnings;
  if (options.driver == Driver::zmq)  // the simulator has no use for keys, and the secret one may not be here
    if (const auto exposed = plain_text_warning(settings.security, experiment.topology))
      finished.warnings.push_back(*exposed);
  for (const std::string& warning : finished.warnings)
    print_notice((options.title.empty() ? "" : options.title + ": ") + "warning: " + warning);

  const bool simulated = options.driver == Driver::simulator;
  const Duration gradient = simulated ? measured_gradient_of(experiment) : Duration{0};
  if (gradient > Duration{0} && !options.quiet)
    std::fprintf(stderr,
                 "hearsay: a gradient takes %s here, measured anew at every call, so virtual seconds vary; "
                 "network.compute = \"20 ms\", say, fixes them\n",
                 seconds_text(seconds(gradient)).c_str());

  Progress progress(options.quiet, options.title,
                    {.peers = experiment.peer_count(),
                     .iterations = experiment.iterations,
                     .may_end_early = settings.run.may_end_early(),
                     .virtual_time = simulated,
                     .resumed_from = directory.record() ? directory.record()->back().iteration : 0});
  RunControl control;
  control.notice = print_notice;
  control.interrupted = &options.stop->interrupted;
  control.lost = options.lost;
  control.ended_peer = options.ended_peer;
  control.timeline = options.timeline;
  control.asked_to_leave = &options.stop->asked_to_leave;
  control.resumes = directory.record().has_value();
  if (directory.record())
    control.record = {*directory.record(), directory.kept_best<Scalar>(), directory.has_ended()};
  const nlohmann::ordered_json beginning = provenance.beginning(settings.run.seed, finished.warnings);
  directory.note_beginning(beginning);
  const bool keeps_best = settings.run.keep == RunSettings::Run::Keep::best;
  if (keeps_best && directory.record() && directory.record()->size() > 1 && !control.record.best)
    print_notice(
        "warning: run.keep = \"best\": the best model so far was not kept, so model.npy becomes the best "
        "of what follows iteration " +
        std::to_string(directory.record()->back().iteration));
  if (keeps_best && settings.failure.keeps_checkpoints())
    control.on_best = [&](const KeptModel& best) { directory.keep_best<Scalar>(best); };
  control.on_models = [&](const ModelSet& models) { directory.keep<Scalar>(experiment.settings, models); };
  control.on_start = [&](std::uint64_t first) {
    options.before_output();
    directory.begin(experiment.settings, first);
  };
  control.on_evaluation = [&](const Evaluation& evaluation) {
    if (!directory.created()) options.before_output();
    directory.append(experiment.settings, evaluation);
    progress.show(evaluation);
    if (options.watcher) options.watcher->show(evaluation);
  };
  if (options.watcher) {
    options.watcher->begin(experiment.settings, experiment.iterations, control.record.evaluations, beginning);
    control.on_meters = [&](const std::vector<PeerMeters>& peers) { options.watcher->show(peers); };
  }
  control.on_resume = [&](std::uint64_t iteration, const std::string& sentence) {
    if (!options.quiet || iteration == 0) print_notice(sentence);
  };
  std::optional<KernelNetwork> network;
  if (options.network == SlowedBy::kernel) {
    if (!options.quiet)
      std::fprintf(stderr, "hearsay: %s: makes %s in the kernel\n", options.title.c_str(),
                   counted(experiment.peer_count(), "host").c_str());
    network.emplace(experiment.settings, experiment.peer_count());
    if (!options.quiet)
      std::fprintf(stderr, "hearsay: %s: %s\n", options.title.c_str(), network->description().c_str());
  }
  TracedRun<Scalar> traced;
  if (simulated && options.learned) traced = simulate_traced(experiment, gradient, control);
  RunOutcome<Scalar> outcome =
      simulated ? (options.learned ? traced.outcome : simulate(experiment, gradient, control))
      : options.as_first_of_hosts
          ? *run_hosts_peer(experiment, 0, *options.as_first_of_hosts, control, options.place).outcome
          : run_local(experiment, control, network ? &*network : nullptr);
  progress.close();
  directory.save_models(outcome, options.save);  // at once: they exist nowhere else any more
  if (experiment.problem.program_restarts) outcome.restarts += experiment.problem.program_restarts();
  // A signal to the whole process group also ends the peers; the user caused their end all the same.
  if (outcome.status == RunStatus::lost && control.is_interrupted()) {
    outcome.status = RunStatus::interrupted;
    outcome.reason = "interrupted";
  }
  finished.status = outcome.status;
  finished.has_target = settings.run.target_loss.has_value();
  finished.keeps_best = keeps_best;
  finished.reason = outcome.reason;
  finished.summary = summarize(experiment, outcome, options.driver);
  finished.summary["provenance"] = provenance.record(settings.run.seed, finished.warnings);
  if (network) finished.summary["slowed_by"] = network->description();
  if (!simulated && !options.as_first_of_hosts && !network) {
    const auto expected = expected_seconds_of(experiment, outcome, control);
    finished.summary["predicted_seconds"] = expected ? nlohmann::ordered_json(*expected) : nullptr;
    if (expected) finished.slowness = slowness_text(finished.summary["seconds"], *expected);
    // A single run says it in its closing words.
    if (!finished.slowness.empty() && !options.quiet && !options.title.empty())
      print_notice(options.title + ": took " + finished.slowness);
  }
  directory.finish(finished.summary);
  finished.output_created = directory.created();
  finished.program_failure = say_end(
      experiment.problem, exit_code_of(outcome.status), outcome.reason,
      finished.output_created ? std::filesystem::absolute(directory.path()).string() : "", outcome.dropped);
  if (options.watcher) options.watcher->end(finished.summary);
  if (simulated && options.learned)
    *options.learned = learned_point(std::move(experiment), std::move(traced), gradient);
  return finished;
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
    throw Misuse("--resume", "", "it goes on with the output that --overwrite would replace");
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

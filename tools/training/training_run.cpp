#include "tools/training/training_run.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>
#include <utility>

#include "runtime/checkpoint/archive.hpp"
#include "runtime/foundation/thread_crew.hpp"
#include "runtime/network/kernel_network.hpp"
#include "runtime/process/local_run.hpp"
#include "runtime/rules/transport_rules.hpp"
#include "runtime/security/credentials.hpp"
#include "runtime/simulator/simulator.hpp"
#include "runtime/simulator/sized_run.hpp"
#include "tools/report/run_watcher.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/log.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/terminal/progress.hpp"
#include "tools/terminal/version.hpp"
#include "tools/training/expected_time.hpp"
#include "tools/training/first_iterations.hpp"
#include "tools/training/learned_point.hpp"
#include "tools/training/provenance.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

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
      32e6;  // of all peers, which the simulator holds at once, with objectives and replicas
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
Home home_of(const TrainingOptions& options, Crew& crew) {
  // A run of processes holds in each of them what its own peer trains with.
  const bool draws_later = options.driver == Driver::zmq;
  if (!options.as_first_of_hosts)
    return {.draws_later = draws_later,
            .each_peer = [&crew](std::size_t peers, const auto& action) { share_out(crew, peers, action); },
            .notice = print_notice};
  return {.peer = observer_peer,
          .addresses = options.place.addresses,
          .program_channel = options.program_channel,
          .draws_later = draws_later,
          .notice = print_notice};
}

void print_warning(const TrainingOptions& options, const std::string& warning) {
  print_notice((options.title.empty() ? "" : options.title + ": ") + "warning: " + warning);
}

/// Tells the times and bytes of a model that is only a size.
template <class Scalar>
FinishedRun time_size(const RunSettings& settings, const TrainingOptions& options) {
  if (options.timeline || options.watcher)
    throw Misuse("model.kind", settings.model.kind,
                 "a size is timed at once, without a run to watch; leave out --trace and --live");
  SizedRun<Scalar> run = sized_run<Scalar>(settings);
  options.before_output();
  for (const std::string& warning : run.experiment.warnings) print_warning(options, warning);
  auto point = learned_point(std::move(run.experiment), std::move(run.traced), Duration{0});
  FinishedRun finished = point->on_network_of(settings, options.earlier, {options.save, options.per_peer});
  if (options.learned) *options.learned = std::move(point);
  return finished;
}

/// True if the other peers are to hear that peer 0 cannot go on with the run.
bool tells(const TrainingOptions& options) {
  return options.tells_others && options.earlier == EarlierOutput::continued;
}

template <class Scalar>
RunDirectory open_output(const RunSettings& settings, const TrainingOptions& options, Crew& crew) {
  try {
    return RunDirectory(settings.run.output, options.earlier, print_notice);
  } catch (const Misuse& misuse) {
    if (tells(options)) tell_others(prepare<Scalar>(settings, home_of(options, crew)), options, misuse);
    throw;
  }
}

/// One run, from its settings to its output directory.
template <class Scalar>
class TrainingRun {
 public:
  TrainingRun(const RunSettings& settings, const TrainingOptions& options)
      : settings_(options.earlier == EarlierOutput::continued ? resumed(settings, observer_peer) : settings),
        options_(options),
        provenance_(options.command),
        crew_(options.threads),
        directory_(open_output<Scalar>(settings_, options, crew_)),
        experiment_(prepare<Scalar>(settings_, home_of(options, crew_))) {
    experiment_.build = version_text();
  }

  FinishedRun run() {
    require_resumable();
    if (simulated()) forget_places();
    options_.stop->is_heeded = true;
    note_warnings();
    time_gradient();
    Progress progress(options_.quiet, options_.title,
                      {.peers = experiment_.peer_count(),
                       .iterations = experiment_.iterations,
                       .may_end_early = settings_.run.may_end_early(),
                       .virtual_time = simulated(),
                       .resumed_from = record() ? record()->back().iteration : 0});
    RunControl control = stopped_by_the_user();
    follow(control, progress);
    make_kernel_network();
    RunOutcome<Scalar> outcome = outcome_of(control);
    progress.close();
    directory_.save_models(outcome, options_.save);  // at once: they exist nowhere else any more
    finish(outcome, control);
    return std::move(finished_);
  }

 private:
  bool simulated() const { return options_.driver == Driver::simulator; }
  /// Of real processes.
  Transport transport() const {
    return options_.as_first_of_hosts
               ? Transport::tcp
               : transport_of(settings_, experiment_.topology.peers, options_.network == SlowedBy::kernel);
  }
  bool keeps_best() const { return settings_.run.keep == RunSettings::Run::Keep::best; }
  /// What the run that is resumed has recorded.
  const auto& record() const { return directory_.record(); }

  void require_resumable() {
    try {
      require_enough_iterations(directory_, experiment_.iterations);
      if (tells(options_))
        PeerArchive<Scalar>(experiment_, observer_peer, archive_directory(settings_)).holds();
    } catch (const Misuse& misuse) {
      if (tells(options_)) tell_others(experiment_, options_, misuse);
      throw;
    }
  }

  /// In a simulation nobody looks for a peer at its address, and a million of them take 0.4 GB.
  void forget_places() {
    experiment_.topology.peers.clear();
    experiment_.topology.peers.shrink_to_fit();
  }

  void note_warnings() {
    finished_.warnings = experiment_.warnings;
    // The simulator has no use for keys, and the secret one may not be here.
    if (!simulated()) note_warnings_of_sockets();
    for (const std::string& warning : finished_.warnings) print_warning(options_, warning);
  }

  void note_warnings_of_sockets() {
    if (const auto warning = plain_text_warning(settings_.security, experiment_.topology))
      finished_.warnings.push_back(*warning);
    const bool between_hosts = options_.as_first_of_hosts || options_.network == SlowedBy::kernel;
    for (std::string& warning : transport_warnings(settings_, transport(), between_hosts))
      finished_.warnings.push_back(std::move(warning));
  }

  void time_gradient() {
    if (simulated()) gradient_ = measured_gradient_of(experiment_);
    if (gradient_ > Duration{0} && !options_.quiet)
      print_notice(
          "a gradient takes " + seconds_text(seconds(gradient_)) +
          " here, measured anew at every call, so virtual seconds vary; network.compute = \"20 ms\", "
          "say, fixes them");
  }

  RunControl stopped_by_the_user() {
    RunControl control;
    control.notice = print_notice;
    control.in_process_of = name_log;
    control.interrupted = &options_.stop->interrupted;
    control.lost = options_.lost;
    control.ended_peer = options_.ended_peer;
    control.on_progress = options_.on_progress;
    control.on_listening = options_.on_listening;
    control.timeline = options_.timeline;
    control.asked_to_leave = &options_.stop->asked_to_leave;
    control.crew = &crew_;
    return control;
  }

  /// Lets the run go on from its record, and its output and the user follow it.
  void follow(RunControl& control, Progress& progress) {
    control.resumes = record().has_value();
    if (record())
      control.record = {.evaluations = *record(),
                        .best = directory_.kept_best<Scalar>(),
                        .has_ended = directory_.has_ended()};
    const nlohmann::ordered_json beginning = provenance_.beginning(settings_.run.seed, finished_.warnings);
    directory_.note_beginning(beginning);
    keep_models(control);
    control.on_start = [this](std::uint64_t first) {
      options_.before_output();
      directory_.begin(experiment_.settings, first);
    };
    control.on_evaluation = [this, &progress](const Evaluation& evaluation) {
      if (!directory_.created()) options_.before_output();
      directory_.append(experiment_.settings, evaluation);
      progress.show(evaluation);
      if (options_.watcher) options_.watcher->show(evaluation);
    };
    if (options_.watcher) {
      options_.watcher->begin(experiment_.settings, experiment_.iterations, control.record.evaluations,
                              beginning);
      control.on_meters = [this](const std::vector<PeerMeters>& peers) { options_.watcher->show(peers); };
    }
    control.on_resume = [this](std::uint64_t iteration, const std::string& sentence) {
      if (!options_.quiet || iteration == 0) print_notice(sentence);
    };
  }

  void keep_models(RunControl& control) {
    control.wants_models_of_peers = options_.save == SaveModels::peers;
    if (keeps_best() && record() && record()->size() > 1 && !control.record.best)
      print_notice(
          "warning: run.keep = \"best\": the best model so far was not kept, so model.npy becomes the best "
          "of what follows iteration " +
          std::to_string(record()->back().iteration));
    if (keeps_best() && settings_.failure.keeps_checkpoints())
      control.on_best = [this](const KeptModel& best) { directory_.keep_best<Scalar>(best); };
    control.on_models = [this](const ModelSet& models) {
      directory_.keep<Scalar>(experiment_.settings, models);
    };
  }

  void make_kernel_network() {
    if (options_.network != SlowedBy::kernel) return;
    if (!options_.quiet)
      print_notice(options_.title + ": makes " + counted(experiment_.peer_count(), "host") +
                   " in the kernel");
    network_.emplace(experiment_.settings, experiment_.peer_count());
    if (!options_.quiet) print_notice(options_.title + ": " + network_->description());
  }

  RunOutcome<Scalar> outcome_of(const RunControl& control) {
    if (simulated() && options_.learned) {
      traced_ = simulate_traced(experiment_, gradient_, control);
      return traced_.outcome;
    }
    if (simulated()) return simulate(experiment_, gradient_, control);
    if (options_.as_first_of_hosts)
      return *run_hosts_peer(experiment_, 0, *options_.as_first_of_hosts, control, options_.place).outcome;
    return run_local(experiment_, control, network_ ? &*network_ : nullptr);
  }

  void finish(RunOutcome<Scalar>& outcome, const RunControl& control) {
    note_program_restarts(outcome);
    // A signal to the whole process group also ends the peers; the user caused their end all the same.
    if (outcome.status == RunStatus::lost && control.is_interrupted()) {
      outcome.status = RunStatus::interrupted;
      outcome.reason = "interrupted";
    }
    finished_.output = directory_.path();
    finished_.status = outcome.status;
    finished_.has_target = settings_.run.target_loss.has_value();
    finished_.keeps_best = keeps_best();
    finished_.reason = outcome.reason;
    finished_.summary = summarize(experiment_, outcome, options_.driver);
    finished_.summary["provenance"] = provenance_.record(settings_.run.seed, finished_.warnings);
    if (network_) finished_.summary["slowed_by"] = network_->description();
    if (!simulated()) finished_.summary["transport"] = to_text(transport());
    if (!simulated() && !options_.as_first_of_hosts && !network_) predict_seconds(outcome, control);
    if (options_.per_peer) directory_.save_peers(outcome.peers);
    directory_.finish(finished_.summary);
    finished_.output_created = directory_.created();
    finished_.program_failure =
        say_end(experiment_.problem, exit_code_of(outcome.status), outcome.reason,
                finished_.output_created ? std::filesystem::absolute(directory_.path()).string() : "",
                outcome.dropped);
    if (options_.watcher) options_.watcher->end(finished_.summary);
    if (simulated() && options_.learned)
      *options_.learned = learned_point(std::move(experiment_), std::move(traced_), gradient_);
  }

  void note_program_restarts(RunOutcome<Scalar>& outcome) const {
    if (!experiment_.problem.program_restarts) return;
    for (const auto& [peer, iteration] : experiment_.problem.program_restarts()) {
      ++outcome.restarts;
      outcome.events.push_back({RunEvent::What::program_restarted, peer, iteration});
    }
  }

  void predict_seconds(const RunOutcome<Scalar>& outcome, const RunControl& control) {
    const auto expected = expected_seconds_of(experiment_, outcome, control);
    finished_.summary["predicted_seconds"] = expected ? nlohmann::ordered_json(*expected) : nullptr;
    if (expected) finished_.slowness = slowness_text(finished_.summary["seconds"], *expected);
    // A single run says it in its closing words.
    if (!finished_.slowness.empty() && !options_.quiet && !options_.title.empty())
      print_notice(options_.title + ": took " + finished_.slowness);
  }

  RunSettings settings_;
  const TrainingOptions& options_;
  Provenance provenance_;
  ThreadCrew crew_;
  RunDirectory directory_;
  Experiment<Scalar> experiment_;
  Duration gradient_{0};  // the time that one takes; 0: not measured
  std::optional<KernelNetwork> network_;
  TracedRun<Scalar> traced_;
  FinishedRun finished_;
};

}  // namespace

template <class Scalar>
FinishedRun train_as(const RunSettings& settings, const TrainingOptions& options) {
  if (options.driver == Driver::simulator && is_only_a_size(settings))
    return time_size<Scalar>(settings, options);
  return TrainingRun<Scalar>(settings, options).run();
}

template FinishedRun train_as<float>(const RunSettings&, const TrainingOptions&);
template FinishedRun train_as<double>(const RunSettings&, const TrainingOptions&);

}  // namespace hearsay

#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

#include "runtime/checkpoint/archive.hpp"
#include "runtime/cluster/topology_file.hpp"
#include "runtime/process/freed_pages.hpp"
#include "runtime/process/hosts_run.hpp"
#include "runtime/program/hello.hpp"
#include "runtime/program/program_channel.hpp"
#include "runtime/security/credentials.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/wire/frame.hpp"
#include "tools/metrics/metrics_server.hpp"
#include "tools/report/live_page.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/commands.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/terminal/input_watch.hpp"
#include "tools/terminal/log.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/terminal/version.hpp"
#include "tools/training/peer_training.hpp"
#include "tools/training/scalar_dispatch.hpp"
#include "tools/training/training.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

Environment environment_of_process() {
  Environment environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const std::size_t equals = text.find('=');
    if (equals != text.npos) environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

Home home_of_one_peer(const PeerOptions& options, const Placement& place) {
  return {.peer = *place.id,
          .addresses = place.addresses,
          .program_channel = options.program_channel ? static_cast<int>(*options.program_channel) : -1,
          .draws_later = true,
          .notice = print_notice};
}

std::function<void(const PeerProgress&)> tells(MetricsBoard& board) {
  return [&board](const PeerProgress& progress) { board.note(progress); };
}

/// Trains as a peer other than peer 0, which keeps the record.
template <class Scalar>
PeerTraining train_silently(const RunSettings& settings, const PeerOptions& options, const Placement& place,
                            const HostsPatience& patience, MetricsBoard& board, MetricsServer* metrics) {
  const bool resumes = earlier_output(options, settings) == EarlierOutput::continued;
  Experiment<Scalar> experiment =
      prepare<Scalar>(resumes ? resumed(settings, *place.id) : settings, home_of_one_peer(options, place));
  experiment.build = version_text();
  if (const auto warning = plain_text_warning(settings.security, experiment.topology))
    print_notice("warning: " + *warning);
  RunControl control;
  control.notice = print_notice;
  options.stop->is_heeded = true;
  control.interrupted = &options.stop->interrupted;
  control.asked_to_leave = &options.stop->asked_to_leave;
  control.resumes = resumes;
  board.introduce(experiment.settings, experiment.iterations);
  if (metrics) control.on_progress = tells(board);
  control.on_listening = [&] {
    if (metrics) metrics->listen();
    if (!options.quiet)
      print_notice("peer " + std::to_string(*place.id) + " of " + std::to_string(experiment.peer_count()) +
                   ", waiting for its neighbors");
  };
  const PeerEnd end = run_hosts_peer(experiment, *place.id, patience, control, place).end;
  if (end.exit_code == 0 && !options.quiet)
    print_notice("peer " + std::to_string(*place.id) + ": " +
                 (end.reason.empty() ? "the run has ended; peer 0 keeps its record" : end.reason));
  const std::string failure = say_end(experiment.problem, end.exit_code, end.reason, "", {});
  if (!failure.empty()) return {exit_lost, ""};
  return {end.exit_code, end.reason};
}

}  // namespace

Placement placement_of(const RunSettings& settings, const std::optional<PeerId>& id) {
  const bool listed = !settings.topology.file.empty() && has_addresses(settings.topology.file);
  Environment environment = environment_of_process();
  if (id) environment["HEARSAY_ID"] = std::to_string(*id);
  if (id && *id >= settings.topology.peers)
    throw Misuse("--id", std::to_string(*id),
                 "the topology has peers 0 to " + std::to_string(settings.topology.peers - 1));
  Placement place = placement_from(environment, settings.topology.peers, listed);
  if (!place.id)
    throw Misuse("--id is missing; expected the peer of the topology that this is, 0 to " +
                 std::to_string(settings.topology.peers - 1) +
                 " (HEARSAY_ID and SLURM_PROCID do not say it either)");
  return place;
}

PeerTraining train_as_peer(const RunSettings& settings, const PeerOptions& options, bool reports) {
  keep_freed_pages();
  const HostsPatience patience{parse_duration("--wait", options.start_patience)};
  const Placement place = placement_of(settings, options.id);
  name_log(*place.id);
  if (options.live_port && place.id != observer_peer)
    throw Misuse("--live", "peer " + std::to_string(*place.id),
                 "only peer " + std::to_string(observer_peer) +
                     ", where all evaluations arrive, can show the run; give --live there");
  MetricsBoard board(place.id);
  std::optional<MetricsServer> metrics;
  if (!options.metrics.empty()) metrics.emplace(metrics_place(options.metrics), board, print_notice);
  if (place.id != observer_peer)
    return with_scalar(settings.run.scalar, [&]<class Scalar>() {
      return train_silently<Scalar>(settings, options, place, patience, board, metrics ? &*metrics : nullptr);
    });
  std::optional<LivePage> live;
  if (options.live_port) live.emplace(*options.live_port, print_notice, board.files());
  SeveralWatchers watchers{&board, live ? &*live : options.watcher, metrics ? &*metrics : nullptr};
  const bool is_watched = live || metrics || options.watcher != nullptr;
  const FinishedRun run =
      train(settings, {.driver = Driver::zmq,
                       .earlier = earlier_output(options, settings),
                       .quiet = options.quiet,
                       .save = options.save,
                       .stop = options.stop,
                       .as_first_of_hosts = patience,
                       .program_channel = home_of_one_peer(options, place).program_channel,
                       .place = place,
                       .tells_others = reports,
                       .lost = options.lost,
                       .ended_peer = options.ended_peer,
                       .watcher = is_watched ? &watchers : nullptr,
                       .on_progress = live || metrics ? tells(board) : nullptr,
                       .on_listening =
                           [&] {
                             if (metrics) metrics->listen();
                           },
                       .title = {},
                       .command = options.command});
  if (reports) return {report_run(run, options), ""};
  return {exit_code_of(run), run.program_failure.empty() ? run.reason : ""};
}

namespace {

/// Trains for the program that has started this process, which is told what is wrong with its input, too: the
/// standard error of a notebook's processes may be out of sight. Throws Misuse.
PeerTraining train_for_program(const PeerOptions& options) {
  const ProgramChannel program(
      FileDescriptor(::fcntl(static_cast<int>(*options.program_channel), F_DUPFD_CLOEXEC, 0)));
  std::vector<std::string> assignments = options.assignments;
  assignments.emplace_back("model.kind=program");
  try {
    return train_as_peer(load_run_file(options.file, assignments), options, true);
  } catch (const Misuse& misuse) {
    std::string sentence = misuse.what();
    if (sentence.find(" --") != sentence.npos)
      sentence +=
          "; a program gives options of hearsay peer as arguments, overwrite=True, or in HEARSAY_OPTIONS";
    program.send(refusal_text(sentence));
    throw Misuse(sentence);
  }
}

int peer_command(const PeerOptions& options) {
  if (options.file == "-") return launched_peer_command(options);
  std::optional<InputWatch> watch;
  if (options.ends_with_input) watch.emplace(options.stop->interrupted, std::nullopt);
  const PeerTraining training =
      options.program_channel
          ? train_for_program(options)
          : train_as_peer(load_run_file(options.file, options.assignments), options, true);
  if (training.exit_code != 0 && !training.reason.empty()) print_error(training.reason);
  return training.exit_code;
}

}  // namespace

void add_peer(CommandLine& program, Invocation& invocation) {
  CommandLine command =
      program.command("peer", "one peer of a run that spans hosts; peer 0 keeps the record");
  const auto options = std::make_shared<PeerOptions>();
  options->stop = &invocation.stop;
  add_output_options(command, *options);
  add_resume_option(command, *options);
  command.option("--id", &options->id,
                 "which peer of the topology this is (else HEARSAY_ID or SLURM_PROCID says it)",
                 {.value_name = "K"});
  command.option("--program-fd", &options->program_channel,
                 "the socket to this peer's program, which has started hearsay (runtime/program/README.md)",
                 {.value_name = "FD"});
  add_live_option(command, *options);
  add_log_option(command);
  add_metrics_option(command, *options);
  add_start_patience_option(command, options->start_patience);
  command.flag("--ends-with-input", options->ends_with_input,
               "end the run when the standard input ends, as that of ssh does with its connection");
  command.examples({"hearsay peer cluster-run.toml --id 0"});
  command.when_chosen([options, &invocation] {
    invocation.on_signal = OnSignal::leave;
    invocation.run = [options] { return peer_command(*options); };
  });
}

}  // namespace hearsay

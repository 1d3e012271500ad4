#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <new>

#include "tools/terminal/commands.hpp"
#include "tools/terminal/open_files.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/nearest_name.hpp"

namespace hearsay {

namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may set it");

/// What keeps a record closes it: the first Ctrl-C asks it to end in good order, the second ends the process at
/// once.
void ask_to_end(int) {
  if (interrupted.exchange(true)) _exit(exit_interrupted);
}

std::atomic<bool> asked_to_leave{false};

/// Of one peer of a run that spans hosts: whoever runs the host wants the process to end, not the run.
void ask_to_leave(int) {
  if (asked_to_leave.exchange(true)) _exit(exit_interrupted);
}

/// What only looks at things and computes (check, for one, may take minutes) has nothing to close.
void end_at_once(int) { _exit(exit_interrupted); }

void install_signal_handlers(bool has_record) {
  struct sigaction action {};
  action.sa_handler = has_record ? ask_to_end : end_at_once;
  action.sa_flags = SA_RESTART;  // what waits goes on waiting; the run looks at the flag
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction inherited {};
    sigaction(number, nullptr, &inherited);
    if (inherited.sa_handler != SIG_IGN) sigaction(number, &action, nullptr);  // nohup wants to go on
  }
  signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
  signal(SIGPIPE, SIG_IGN);  // `hearsay ... | head` ends quietly
}

void add_run_file_options(CLI::App& command, RunFileOptions& options) {
  command.add_option("FILE", options.file, "run file (TOML)")->required();
  command.add_option("--set", options.assignments, "override a key: --set network.latency=\"20 ms\"")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command.add_flag("--quiet", options.quiet, "no progress and no closing words");
  command.add_flag("--json", options.json, "print the record as JSON on standard output");
}

void add_output_options(CLI::App& command, RunOptions& options) {
  add_run_file_options(command, options);
  command.add_flag("--overwrite", options.overwrite, "replace an earlier output");
  command
      .add_option_function<std::string>(
          "--output",
          [&options](const std::string& directory) {
            if (directory.empty()) throw Misuse("--output", "\"\"", "expected a path");
            // Absolute: on a command line, paths start where the user is. $ begins a variable in a run file.
            std::string path = std::filesystem::absolute(directory).lexically_normal().string();
            for (std::size_t k = path.find('$'); k != std::string::npos; k = path.find('$', k + 2))
              path.insert(k, 1, '$');
            options.assignments.push_back("run.output=" + path);
          },
          "output directory, instead of run.output")
      ->type_name("DIR");
  command
      .add_option_function<std::string>(
          "--save",
          [&options](const std::string& what) {
            options.save = what == "peers" ? SaveModels::peers : SaveModels::mean;
          },
          "also save every peer's model")
      ->type_name("peers")
      ->check(CLI::IsMember({"peers"}));
}

void add_resume_option(CLI::App& command, RunOptions& options) {
  command.add_flag(
      "--resume", options.resume,
      "go on from the checkpoints of a run that was cut off, or extend it to more run.iterations");
}

void add_live_option(CLI::App& command, RunOptions& options) {
  command.add_flag("--live{0}")
      ->description(
          "serve a page that shows the run as it goes on, at 127.0.0.1; --live=PORT chooses the port")
      ->check(CLI::Range(0, 65535))
      ->each([&options](const std::string& port) {
        options.live_port = static_cast<std::uint16_t>(std::stoi(port, nullptr, 0));
      });
}

/// CLI11 would say that a subcommand is missing.
void require_known_command(const CLI::App& app, const std::string& given) {
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  if (given.starts_with('-') || std::ranges::find(known, given) != known.end()) return;
  throw Misuse(given + " is no command of hearsay, did you mean " + nearest_name(given, known) + "?");
}

int main_of(int argc, char** argv) {
  CLI::App app("hearsay: decentralized gossip training");
  app.set_version_flag("--version", "hearsay " HEARSAY_VERSION);
  app.require_subcommand(1);
  app.fallthrough(false);
  std::function<int()> chosen;
  bool has_record = false;
  const auto trains = [&](std::function<int()> command) {
    chosen = std::move(command);
    has_record = true;
  };

  RunOptions run;
  run.interrupted = &interrupted;
  CLI::App* command = app.add_subcommand("run", "all peers of a run on this machine, over ZeroMQ");
  add_output_options(*command, run);
  add_resume_option(*command, run);
  add_live_option(*command, run);
  command->callback([&] { trains([&] { return run_command(run, Driver::zmq); }); });
  command = app.add_subcommand("simulate", "the same run in virtual time, in one process");
  add_output_options(*command, run);
  add_live_option(*command, run);
  command->callback([&] { trains([&] { return run_command(run, Driver::simulator); }); });
  const auto add_patience = [](CLI::App& to, std::string& patience) {
    to.add_option("--wait", patience, "how long the others may take to come up [2 min]")->type_name("TIME");
  };
  PeerOptions peer;
  peer.interrupted = &interrupted;
  peer.ask_to_end = &interrupted;
  peer.asked_to_leave = &asked_to_leave;
  command = app.add_subcommand("peer", "one peer of a run that spans hosts; peer 0 keeps the record");
  add_output_options(*command, peer);
  add_resume_option(*command, peer);
  command
      ->add_option("--id", peer.id,
                   "which peer of the topology this is (else HEARSAY_ID or SLURM_PROCID says it)")
      ->type_name("K");
  add_patience(*command, peer.start_patience);
  command->add_flag("--ends-with-input", peer.ends_with_input,
                    "end the run when the standard input ends, as that of ssh does with its connection");
  command->callback([&] {
    trains([&] {
      signal(SIGTERM, ask_to_leave);
      return peer_command(peer);
    });
  });
  LaunchOptions launch;
  launch.interrupted = &interrupted;
  command = app.add_subcommand("launch", "every peer on the host its topology file names, over ssh");
  add_output_options(*command, launch);
  add_resume_option(*command, launch);
  add_patience(*command, launch.start_patience);
  command->callback([&] { trains([&] { return launch_command(launch); }); });
  command = app.add_subcommand("sweep", "every point of the run file's [sweep], and a table");
  SweepOptions sweep;
  sweep.interrupted = &interrupted;
  add_output_options(*command, sweep);
  command->add_flag("--resume", sweep.resume, "keep the points that an earlier sweep has finished");
  command
      ->add_option_function<std::string>(
          "--network",
          [&](const std::string& network) {
            sweep.network = network == "kernel" ? SlowedBy::kernel : SlowedBy::shaper;
          },
          "what slows the peers down [shaper]; kernel: real processes in network namespaces (root only)")
      ->type_name("shaper|kernel")
      ->check(CLI::IsMember({"shaper", "kernel"}));
  command->callback([&] { trains([&] { return sweep_command(sweep); }); });

  TopologyOptions topology;
  command = app.add_subcommand("topology", "what a topology is like; writes it as TOML, GraphML, DOT or SVG");
  command->add_option("SPEC", topology.spec, "such as \"ring(16)\" or \"torus(4x4)\", or a topology file")
      ->required();
  command->add_option("--weights", topology.weights, "mixing weights (metropolis)");
  command->add_option("--schedule", topology.schedule, "also look at a time-varying schedule");
  command->add_option("--participation", topology.participation,
                      "the share of the peers that takes part in a round of the schedule (1)");
  command->add_option("--seed", topology.seed, "of random topologies (1)");
  command
      ->add_option("--write", topology.write,
                   "write the topology to FILE, by its ending: .toml .graphml .dot .svg")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command->add_flag("--json", topology.json, "print the record as JSON");
  command->callback([&] { chosen = [&] { return topology_command(topology); }; });

  CheckOptions check;
  command = app.add_subcommand("check", "validate a run file and print the plan: bytes, time, limits");
  add_run_file_options(*command, check);
  CLI::Option* const connect = command->add_flag(
      "--connect", check.connect,
      "test the connections of one peer to its neighbors, both ways, while they do the same");
  command->add_option("--id", check.id, "which peer this is (else HEARSAY_ID or SLURM_PROCID says it)")
      ->type_name("K")
      ->needs(connect);
  command->add_option("--wait", check.patience, "how long to wait for the others [30 s]")
      ->type_name("TIME")
      ->needs(connect);
  command->callback([&] {
    chosen = [&] { return check.connect ? check_connections_command(check) : check_command(check); };
  });

  AdviseOptions advise;
  advise.interrupted = &interrupted;
  command = app.add_subcommand(
      "advise", "the method, compressor and topology that get to the target loss first on this network");
  add_run_file_options(*command, advise);
  command->add_option("--output", advise.output, "the run file of the winner [advised.toml beside FILE]")
      ->type_name("FILE");
  command->add_flag("--overwrite", advise.overwrite, "replace the run file of an earlier advice");
  command->callback([&] { trains([&] { return advise_command(advise); }); });

  EvaluateOptions evaluate;
  command = app.add_subcommand("evaluate", "loss and accuracy of a saved model on a run file's data");
  command->add_option("MODEL", evaluate.model, "model.npy")->required();
  add_run_file_options(*command, evaluate);
  command->callback([&] { chosen = [&] { return evaluate_command(evaluate); }; });

  ReportOptions report;
  command =
      app.add_subcommand("report", "one HTML page of what runs and sweeps did: charts, winners, topologies");
  command->add_option("DIR", report.folders, "output directories of runs and of sweeps")->required();
  command->add_option("--output", report.output, "the page [report.html]")->type_name("FILE");
  command->add_flag("--overwrite", report.overwrite, "replace an earlier report");
  command->add_flag("--quiet", report.quiet, "no closing words");
  command->callback([&] { chosen = [&] { return report_command(report); }; });

  bool list_as_json = false;
  command = app.add_subcommand("list", "methods, compressors, topologies, models, data formats");
  command->add_flag("--json", list_as_json, "print the lists as JSON");
  command->callback([&] { chosen = [&] { return list_command(list_as_json); }; });

  std::string key_name;
  std::filesystem::path key_file;
  AuthorizeOptions authorize;
  CLI::App* const keys = app.add_subcommand("keys", "keys for runs that span hosts: new, show, authorize");
  keys->require_subcommand(1);
  command = keys->add_subcommand("new", "write a new key pair to NAME.key and print its public key");
  command->add_option("NAME", key_name, "of the file, without .key")->required();
  command->callback([&] { chosen = [&] { return new_key_command(key_name); }; });
  command = keys->add_subcommand("show", "print the public key of a pair");
  command->add_option("FILE", key_file, "the pair, NAME.key")->required();
  command->callback([&] { chosen = [&] { return show_key_command(key_file); }; });
  command = keys->add_subcommand("authorize", "let a peer in: add its public key to a file, or replace it");
  command->add_option("AUTHORIZED", authorize.authorized, "the file of all public keys, cluster.keys")
      ->required();
  command->add_option("PEER", authorize.name, "name of the peer in the topology file, or its id")->required();
  command->add_option("KEY", authorize.key, "its public key, or the file of its pair")->required();
  command->callback([&] { chosen = [&] { return authorize_key_command(authorize); }; });

  if (argc > 1) require_known_command(app, argv[1]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp& help) {
    return app.exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app.exit(version);
  } catch (const CLI::ParseError& error) {
    std::fprintf(stderr, "hearsay: %s (hearsay --help says more)\n", error.what());
    return exit_misuse;
  }
  install_signal_handlers(has_record);
  const int code = chosen();
  // Who closes a pipe early has read enough.
  if ((std::fflush(stdout) != 0 || std::ferror(stdout) != 0) && errno != EPIPE)
    throw Misuse("cannot write to the standard output: " + std::string(std::strerror(errno)));
  return code;
}

}  // namespace

}  // namespace hearsay

int main(int argc, char** argv) {
  try {
    hearsay::raise_limit_of_open_files();
    return hearsay::main_of(argc, argv);
  } catch (const hearsay::Misuse& misuse) {
    std::fprintf(stderr, "hearsay: %s\n", misuse.what());
    return hearsay::exit_misuse;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "hearsay: the memory of this machine does not suffice\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hearsay: a bug, or a machine at its limits: %s\n", error.what());
  }
  return hearsay::exit_failure;
}

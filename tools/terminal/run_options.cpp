#include "tools/terminal/run_options.hpp"

#include <string>

#include "runtime/foundation/machine.hpp"
#include "runtime/settings/run_file.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/log.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

void add_run_file_options(CommandLine& command, RunFileOptions& options) {
  command.argument("FILE", &options.file, "run file (TOML)");
  command.option("--set", &options.assignments,
                 "override a key: --set network.latency=\"20 ms\"; may be repeated",
                 {.value_name = "KEY=VALUE"});
  command.option("--unset",
                 [&options](const std::vector<std::string>& keys) {
                   for (const std::string& key : keys)
                     options.assignments.push_back(std::string(unset_prefix) + key);
                 },
                 "leave a key of the file out: --unset algorithm.optimizer; may be repeated",
                 {.value_name = "KEY"});
  command.flag("--quiet", options.quiet, "no progress, and no summary at the end");
  command.flag("--json", options.json, "print the record as JSON on standard output");
}

void add_output_options(CommandLine& command, RunOptions& options) {
  add_run_file_options(command, options);
  command.flag("--overwrite", options.overwrite, "replace an earlier output");
  command.option("--output",
                 [&options](const std::string& directory) {
                   // Paths on a command line start at the working directory, so the path is made
                   // absolute. $ begins a variable in a run file, so it is doubled.
                   std::string path = std::filesystem::absolute(directory).lexically_normal().string();
                   for (std::size_t k = path.find('$'); k != std::string::npos; k = path.find('$', k + 2))
                     path.insert(k, 1, '$');
                   options.assignments.push_back("run.output=" + path);
                 },
                 "output directory, instead of run.output", {.value_name = "DIR"});
  command.option("--save",
                 [&options](const std::string& what) {
                   options.save = what == "peers" ? SaveModels::peers : SaveModels::mean;
                 },
                 "also save every peer's model", {.value_name = "peers", .values = {"peers"}});
}

void add_per_peer_option(CommandLine& command, RunOptions& options) {
  command.flag("--per-peer", options.per_peer,
               "also write what each peer did, a .npy file per column, to per-peer/ in the output");
}

void add_resume_option(CommandLine& command, RunOptions& options) {
  command.flag("--resume", options.resume,
               "go on from the checkpoints of a run that was cut off, or extend it to more run.iterations");
}

void add_live_option(CommandLine& command, RunOptions& options) {
  command.option_or_number(
      "--live", 0, {0, 65535}, [&options](int port) { options.live_port = static_cast<std::uint16_t>(port); },
      "serve a page that shows the run as it goes on, at 127.0.0.1; --live=PORT chooses the port");
}

void add_log_option(CommandLine& command) {
  command.option(
      "--log",
      [](const std::string& format) { begin_log(format == "json" ? LogFormat::json : LogFormat::text); },
      "write lines for a log instead of words for a person: time, level, peer and sentence",
      {.value_name = "FORMAT", .values = {"text", "json"}});
}

void add_metrics_option(CommandLine& command, RunOptions& options) {
  command.option(
      "--metrics", &options.metrics,
      "serve /metrics for Prometheus, /healthz and /readyz, at a port of this machine alone or at an IP "
      "address and a port",
      {.value_name = "ADDRESS"});
}

std::size_t threads_of(const RunOptions& options) { return options.threads.value_or(usable_cores()); }

void add_threads_option(CommandLine& command, RunOptions& options) {
  constexpr std::uint64_t most = 1024;
  command.option("--threads",
                 [&options](const std::string& text) {
                   std::uint64_t threads = 0;
                   if (!parse_whole(text, threads) || threads < 1 || threads > most)
                     throw Misuse("--threads", text,
                                  "expected a whole number of threads, 1 to " + std::to_string(most));
                   options.threads = threads;
                 },
                 "threads that compute; the results are the same with any number [one for every core]",
                 {.value_name = "N"});
}

void add_trace_option(CommandLine& command, RunOptions& options) {
  command.option(
      "--trace", &options.trace,
      "write a timeline of computing, waiting and sending, for ui.perfetto.dev and chrome://tracing",
      {.value_name = "FILE.json"});
}

void add_start_patience_option(CommandLine& command, std::string& patience) {
  command.option("--wait", &patience, "how long the others may take to come up [2 min]",
                 {.value_name = "TIME"});
}

}  // namespace hearsay

#include <cstdio>
#include <memory>
#include <optional>

#include "runtime/foundation/whole_file.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/timeline.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "tools/export/chrome_trace.hpp"
#include "tools/metrics/metrics_server.hpp"
#include "tools/report/live_page.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/commands.hpp"
#include "tools/terminal/empty_run_file.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/log.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/terminal/table.hpp"
#include "tools/terminal/written_file.hpp"
#include "tools/training/training.hpp"

namespace hearsay {

namespace {

double number_or_nan(const nlohmann::ordered_json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

/// True if the model that was evaluated and kept is the hub's.
bool is_of_hub(const nlohmann::ordered_json& summary) { return summary["evaluated"] == "hub's model"; }

/// Returns the link in words: "3 -> 4: peer 4 waited 12.3 s for it (41 % of its time)".
std::string slowest_link_text(const nlohmann::ordered_json& link) {
  const std::string to = std::to_string(link["to"].get<PeerId>());
  return std::to_string(link["from"].get<PeerId>()) + " -> " + to + ": peer " + to + " waited " +
         seconds_text(link["seconds"]) + " for it (" + fixed(100.0 * link["share_of_time"].get<double>(), 0) +
         " % of its time)";
}

/// Returns what went through the port of the hub: "2.42 MB to the workers, busy 71 % of the time; 2.55 MB
/// from them, busy 75 %".
std::string hub_port_text(const nlohmann::ordered_json& port) {
  const auto way = [&](const std::string& which, const std::string& whom, const std::string& of) {
    const auto& share = port["share_" + which];
    return megabytes_text(port["bytes_" + which]) + " " + whom +
           (share.is_number() ? ", busy " + fixed(100.0 * share.get<double>(), 0) + " %" + of
                              : ", not limited");
  };
  return way("to_workers", "to the workers", " of the time") + "; " + way("from_workers", "from them", "");
}

/// Returns the faults of a run in words: "went on without peers 2, 5; peer 3 joined; 1 restart". Empty if
/// there were none.
std::string faults_text(const nlohmann::ordered_json& summary) {
  const auto named = [&](const char* key) {
    std::string ids;
    for (const PeerId id : summary[key]) ids += (ids.empty() ? "" : ", ") + std::to_string(id);
    return (summary[key].size() == 1 ? "peer " : "peers ") + ids;
  };
  std::vector<std::string> parts;
  if (!summary["dropped"].empty()) parts.push_back("went on without " + named("dropped"));
  if (const auto& taken = summary["took_over"]; taken.is_object())
    parts.push_back("peer " + std::to_string(taken["peer"].get<PeerId>()) +
                    " took over from the hub in iteration " + grouped(taken["iteration"]));
  if (!summary["joined"].empty()) parts.push_back(named("joined") + " joined");
  for (const auto& [key, name] : {std::pair("returned", "return"), std::pair("restarts", "restart"),
                                  std::pair("resyncs", "replica resync")})
    if (summary[key] > 0) parts.push_back(counted(summary[key], name));
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : "; ") + part;
  return text;
}

/// Returns of which evaluation model.npy is: "the best, of iteration 120: loss 0.31". Empty if it is of the
/// last iteration, as usual, or if there is none, since each peer keeps its own model.
std::string kept_model_text(const FinishedRun& run) {
  const auto& summary = run.summary;
  const auto& iteration = summary["kept_iteration"];
  if (summary["evaluated"] == "own models") return {};
  if (!iteration.is_number() || (!run.keeps_best && iteration == summary["iterations"])) return {};
  std::string text = is_of_hub(summary) ? "the hub's model, " : "";
  text += run.keeps_best ? "the best, of iteration " : "of the last evaluation, iteration ";
  text += std::to_string(iteration.get<std::uint64_t>());
  text += ": loss " + significant(number_or_nan(summary["kept_loss"]), 6);
  if (summary["kept_accuracy"].is_number())
    text += ", accuracy " + fixed(100.0 * summary["kept_accuracy"].get<double>(), 2) + " %";
  return text;
}

void write_trace(const RunOptions& options, const Timeline& timeline, const std::string& name) {
  const std::vector<Activity> activities = timeline.activities();
  write_file(options.trace, {chrome_trace(activities, name)});
  if (timeline.is_cut())
    print_notice(cut_text(options.trace.string(), activities));
  else if (!options.quiet && !options.json)
    std::printf("%s  %s, for ui.perfetto.dev\n", options.trace.c_str(),
                counted(activities.size(), "span").c_str());
}

/// Says so if the threads that were asked for have nothing to share.
void say_if_alone(const RunOptions& options, const RunSettings& settings) {
  if (options.quiet || options.threads.value_or(1) == 1) return;
  if (!settings.faults.empty())
    print_notice("--threads: one thread simulates a run with faults");
  else if (!options.trace.empty())
    print_notice("--threads: one thread simulates a run of which --trace records who did what");
}

int run_command(const RunOptions& options, Driver driver) {
  if (!options.quiet) say_if_empty(options.file);
  const RunSettings settings = load_run_file(options.file, options.assignments);
  say_if_alone(options, settings);
  std::optional<Timeline> timeline;
  if (!options.trace.empty()) {
    require_replaceable("--trace", options.trace, trace_mark, "trace", options.overwrite);
    timeline.emplace();
  }
  MetricsBoard board(std::nullopt);
  std::optional<LivePage> live;
  if (options.live_port) live.emplace(*options.live_port, print_notice, board.files());
  std::optional<MetricsServer> metrics;
  if (!options.metrics.empty()) metrics.emplace(metrics_place(options.metrics), board, print_notice);
  SeveralWatchers watchers{&board, live ? &*live : nullptr, metrics ? &*metrics : nullptr};
  const FinishedRun run = train(settings, {.driver = driver,
                                           .earlier = earlier_output(options, settings),
                                           .quiet = options.quiet,
                                           .save = options.save,
                                           .per_peer = options.per_peer,
                                           .threads = driver == Driver::simulator ? threads_of(options) : 1,
                                           .stop = options.stop,
                                           .watcher = live || metrics ? &watchers : nullptr,
                                           .title = {},
                                           .timeline = timeline ? &*timeline : nullptr});
  const int exit_code = report_run(run, options);
  if (timeline && run.output_created) write_trace(options, *timeline, settings.run.name);
  return exit_code;
}

/// Adds the options of `hearsay run` or `hearsay simulate`. They differ in the driver, and the simulator
/// resumes nothing.
void add_training(CommandLine& command, Driver driver, Invocation& invocation) {
  const auto options = std::make_shared<RunOptions>();
  options->stop = &invocation.stop;
  add_output_options(command, *options);
  add_per_peer_option(command, *options);
  if (driver == Driver::zmq)
    add_resume_option(command, *options);
  else
    add_threads_option(command, *options);
  add_live_option(command, *options);
  add_log_option(command);
  add_metrics_option(command, *options);
  add_trace_option(command, *options);
  command.when_chosen([options, driver, &invocation] {
    invocation.on_signal = OnSignal::end_in_good_order;
    invocation.run = [options, driver] { return run_command(*options, driver); };
  });
}

}  // namespace

namespace {

std::string status_text(const FinishedRun& run) {
  std::string text = to_text(run.status);
  if (run.status == RunStatus::target) text += " loss reached";
  text += " after " + counted(run.summary["iterations"], "iteration");
  if (run.status == RunStatus::done && run.has_target) text += ", target loss not reached";
  if (run.status == RunStatus::plateau) text += ": " + run.summary["reason"].get<std::string>();
  return text;
}

/// True unless the model of the run is only a size.
bool has_loss(const FinishedRun& run) {
  return !run.summary["loss"].is_null() || run.status == RunStatus::diverged;
}

/// Adds how good the models are.
void add_quality_rows(Table& table, const FinishedRun& run) {
  const auto& summary = run.summary;
  const auto count_at = [&summary](const char* key) {
    return summary[key].is_number() ? summary[key].get<std::uint64_t>() : 0;
  };
  if (has_loss(run))
    table.add(
        {"loss", significant(number_or_nan(summary["loss"]), 6) +
                     (summary["loss"].is_number() ? samples_text(count_at("loss_samples"), "training") : "") +
                     (summary["evaluated"] == "own models" ? ", the mean of each peer's own"
                      : is_of_hub(summary)                 ? ", of the hub's model"
                                                           : "")});
  if (summary["loss_worst"].is_number())
    table.add({"loss of the worst peer", significant(summary["loss_worst"], 6) + ", " +
                                             significant(summary["loss_spread"]) + " above the best"});
  if (summary["accuracy"].is_number())
    table.add({"accuracy", fixed(100.0 * summary["accuracy"].get<double>(), 2) + " %" +
                               samples_text(count_at("accuracy_samples"), summary["accuracy_of"])});
  if (has_loss(run))
    table.add({"consensus distance", significant(number_or_nan(summary["consensus_distance"])) +
                                         (is_of_hub(summary) ? ", from the hub's model" : "")});
}

/// Adds what the run took: time, passes over the data, bytes.
void add_cost_rows(Table& table, const FinishedRun& run) {
  const auto& summary = run.summary;
  const double peers = summary["peers"];
  const std::string kind = summary["virtual"] ? " (virtual)" : "";
  table.add({"time", seconds_text(summary["seconds"]) + kind});
  if (!run.slowness.empty()) table.add({"", run.slowness});
  if (summary["seconds_to_target"].is_number())
    table.add({"time to target", seconds_text(summary["seconds_to_target"]) + kind});
  if (has_loss(run)) table.add({"data passes", fixed(summary["epochs"], 2)});
  table.add({"gossip rounds", grouped(summary["gossip_rounds"])});
  table.add({"sent per peer", megabytes_text(summary["bytes_sent"].get<double>() / peers) +
                                  (summary["bits_per_parameter_and_gradient"].is_number()
                                       ? ", " + significant(summary["bits_per_parameter_and_gradient"], 3) +
                                             " bits a parameter and gradient"
                                       : "")});
  if (summary["computing_share"].is_number())
    table.add(
        {"computing", fixed(100.0 * summary["computing_share"].get<double>(), 1) + " % of the time" +
                          (summary["samples_per_second"].is_number()
                               ? ", " + significant(summary["samples_per_second"], 4) + " samples a second"
                               : "")});
  table.add({"evaluation", megabytes_text(summary["evaluation_bytes"].get<double>() / peers) +
                               " a peer, to and from the observer"});
}

/// Adds what happened between the peers.
void add_event_rows(Table& table, const nlohmann::ordered_json& summary) {
  if (summary["replicas_consistent"].is_boolean())
    table.add(
        {"replicas", summary["replicas_consistent"] ? "equal to their owners" : "DIFFER from their owners"});
  if (const auto& link = summary["slowest_link"]; link.is_object())
    table.add({"slowest link", slowest_link_text(link)});
  if (const auto& port = summary["hub_port"]; port.is_object())
    table.add({"hub's port", hub_port_text(port)});
  if (const auto& rounds = summary["round_deadline"]; rounds.is_object())
    table.add({"late answers", grouped(rounds["late_answers"]) + " came when their round was over (" +
                                   rounds["clock"].get<std::string>() + " clock)"});
  if (const std::string faults = faults_text(summary); !faults.empty()) table.add({"faults", faults});
}

}  // namespace

void print_closing_words(const FinishedRun& run) {
  Table table({{"", Table::Align::left}, {"", Table::Align::left}});
  table.add({"status", status_text(run)});
  add_quality_rows(table, run);
  add_cost_rows(table, run);
  add_event_rows(table, run.summary);
  if (const std::string kept = kept_model_text(run); !kept.empty()) table.add({"model.npy", kept});
  if (run.output_created) table.add({"output", run.output.string()});
  std::fputs(table.text().c_str(), stdout);
}

int report_run(const FinishedRun& run, const RunFileOptions& options) {
  if (options.json)
    std::printf("%s\n", json_text(run.summary).c_str());
  else if (!options.quiet && run.output_created)
    print_closing_words(run);
  // A run that was interrupted before it began leaves no record; its reason says by whom.
  const bool never_began = run.status == RunStatus::interrupted && run.reason != "interrupted";
  if (run.status == RunStatus::diverged || run.status == RunStatus::lost || never_began)
    print_error(run.reason);
  const int code = exit_code_of(run);
  if (is_logged() && run.output_created && (code != exit_done || !options.quiet))
    log(code == exit_done ? LogLevel::info : LogLevel::error, "the run has ended: " + status_text(run),
        {{"status", run.summary["status"]},
         {"iterations", run.summary["iterations"]},
         {"loss", run.summary["loss"]},
         {"output", run.output.string()}});
  return code;
}

void add_run(CommandLine& program, Invocation& invocation) {
  CommandLine command = program.command("run", "all peers of a run on this machine, over ZeroMQ");
  add_training(command, Driver::zmq, invocation);
  command.examples(
      {"hearsay run first.toml",
       "hearsay run first.toml --set network.bandwidth=\"100 Mbit/s\" --output runs/faster --live"});
}

void add_simulate(CommandLine& program, Invocation& invocation) {
  CommandLine command = program.command("simulate", "the same run in virtual time, in one process");
  add_training(command, Driver::simulator, invocation);
  command.examples({"hearsay simulate first.toml --output runs/simulated",
                    "hearsay simulate first.toml --set topology.peers=1000 --output runs/thousand"});
}

}  // namespace hearsay

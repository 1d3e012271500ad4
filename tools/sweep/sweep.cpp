#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "runtime/network/kernel_network.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/output_rules.hpp"
#include "runtime/record/run_directory.hpp"
#include "runtime/settings/sweep_tuning.hpp"
#include "runtime/simulator/sized_run.hpp"
#include "runtime/toml/document.hpp"
#include "tools/report/live_sweep_page.hpp"
#include "tools/sweep/claim_verdicts.hpp"
#include "tools/sweep/slurm_job.hpp"
#include "tools/sweep/slurm_sweep.hpp"
#include "tools/sweep/sweep_run.hpp"
#include "tools/sweep/sweep_table.hpp"
#include "tools/sweep/tuned_choice.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/commands.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/terminal/shell_word.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/nearest_name.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

/// Throws Misuse if this machine cannot emulate a network in the kernel: one sentence before the sweep, not
/// one for each point.
void require_kernel_network() {
  RunSettings smallest;
  smallest.network.bandwidth_up = Bandwidth{1e6};
  try {
    const KernelNetwork tried(smallest, 1);
  } catch (const Misuse& misuse) {
    throw Misuse("--network", "kernel", std::string(misuse.what()) + ", or --network shaper");
  }
}

std::vector<LiveSweepPoint> shown_points(const Sweep& sweep, const SweepOptions& options) {
  std::vector<LiveSweepPoint> points;
  for (const SweepPoint& point : sweep.points)
    if (options.chooses(point))
      points.push_back({name_of(sweep, point), point.folder,
                        point.run.run.epochs ? std::nullopt : std::optional(point.run.run.iterations)});
  return points;
}

/// Throws Misuse unless every variant of --only is one of the sweep's.
void require_variants(const Sweep& sweep, const std::vector<std::string>& only) {
  std::vector<std::string> names;
  for (const SweepPoint& point : sweep.points)
    if (!point.variant.empty() && (names.empty() || names.back() != point.variant))
      names.push_back(point.variant);
  for (const std::string& name : only) {
    if (names.empty())
      throw Misuse("--only", toml_text(name), "the sweep has no [[sweep.variant]] to choose from");
    if (std::ranges::find(names, name) == names.end())
      throw Misuse("--only", toml_text(name), "no variant of the sweep" + did_you_mean(name, names, "\""));
  }
}

/// Says so if the threads that were asked for have nothing to compute.
void say_if_threads_are_idle(const Sweep& sweep, const SweepOptions& options) {
  if (sweep.driver != Sweep::Driver::run || options.quiet || options.threads.value_or(1) == 1) return;
  print_notice(
      "--threads: it is for what runs in virtual time; here each peer is a process of its own, and the "
      "points run one after the other");
}

std::string values_label(const TunedValues& values) {
  std::string label = values.variant;
  for (const auto& [key, value] : values.axes) label += (label.empty() ? "" : ", ") + key + " = " + value;
  return label.empty() ? "tuning" : label;
}

std::string missing_text(std::size_t missing, const Sweep& sweep) {
  return counted(missing, "point") + (missing == 1 ? " has" : " have") +
         " no result; --resume --slurm tries again, and what the tasks have printed is in " +
         (sweep.output / task_folder).string();
}

/// Returns the sweep with the values that tuning has chosen; tries the candidates for that. Empty if it was
/// interrupted, or if tasks of Slurm have left candidates without a result.
std::optional<Sweep> tuned(const Sweep& sweep, const SweepOptions& options, bool output_is_there) {
  const Sweep tuning = tuning_of(sweep);
  if (options.resume) settle_earlier_job(tuning.output, options);
  SweepRun run(tuning, PointsAre::candidates, options, sweep.output, output_is_there);
  if (!options.quiet && run.to_try() > 0)
    print_notice("tunes first: " + counted(run.to_try(), "point") + ", with seeds from " +
                 std::to_string(tuning.points.front().run.run.seed) + " on, which no result has");
  run.run();
  if (options.stop->interrupted.load()) {
    print_notice(std::string("interrupted while it was tuning") +
                 (run.has_record()
                      ? "; --resume goes on, and " + tuning.output.string() + " has what was tried"
                      : ""));
    return std::nullopt;
  }
  if (run.missing() > 0) {
    print_notice(missing_text(run.missing(), tuning));
    return std::nullopt;
  }
  std::vector<TunedValues> values;
  for (const TunedChoice& choice : tuned_choices(sweep, tuning, run.rows())) {
    values.push_back(choice.values);
    if (!choice.reservation.empty()) print_notice(values_label(choice.values) + ": " + choice.reservation);
  }
  return with_tuned_values(sweep, values);
}

/// Says what the results lack, and returns the exit code.
int exit_code_of_results(const Sweep& sweep, const SweepOptions& options, const std::vector<SweepRow>& rows,
                         const std::vector<ClaimVerdict>& verdicts) {
  if (!options.only.empty() && !sweep.baseline.empty() &&
      std::ranges::none_of(rows, [&](const SweepRow& row) { return row.point->variant == sweep.baseline; }))
    print_notice("no speed-up: the baseline has not been run; --only " + shell_word(sweep.baseline) +
                 " --resume adds it");
  const auto refused =
      static_cast<std::size_t>(std::ranges::count(rows, static_cast<int>(exit_misuse), &SweepRow::exit_code));
  if (!rows.empty() && refused == rows.size())
    throw Misuse(options.file.string() + ": every point of the sweep was refused: " + rows.front().note);
  if (refused > 0)
    print_notice(std::to_string(refused) + " of " + counted(rows.size(), "point") +
                 " refused, see the notes below the table");
  if (std::ranges::find(verdicts, Verdict::fails, &ClaimVerdict::verdict) != verdicts.end())
    return exit_refuted;
  const bool one_succeeded =
      std::ranges::any_of(rows, [](const SweepRow& row) { return row.exit_code == exit_done; });
  return one_succeeded || rows.empty() ? exit_done : rows.front().exit_code;
}

int sweep_command(const SweepOptions& options) {
  if (options.resume && options.overwrite)
    throw Misuse("--resume keeps what --overwrite would replace; expected one of them");
  Sweep sweep = load_sweep(options.file, options.assignments);
  if (sweep.is_one_run())
    throw Misuse(options.file.string() +
                 ": it describes one run; a sweep needs [[sweep.variant]] tables, axes in [sweep] such as "
                 "\"network.bandwidth\" = [\"10 Mbit/s\", \"1 Gbit/s\"], or sweep.repeat of at least 2");
  if (options.network == SlowedBy::kernel) {
    if (options.slurm)
      throw Misuse("--network kernel makes network namespaces, as root; expected it without --slurm");
    sweep.driver = Sweep::Driver::run;
    require_kernel_network();
  }
  require_variants(sweep, options.only);
  if (options.resume) settle_earlier_job(sweep.output, options);
  if (options.overwrite)
    for (const auto& output : {sweep.output, sweep.output / tuning_folder}) require_no_job(output);
  say_if_threads_are_idle(sweep, options);
  bool output_is_there = options.resume && holds_a_sweep(sweep.output);
  if (!output_is_there) require_free_output(sweep.output, options.overwrite);
  if (!sweep.tuned.empty()) {
    if (is_only_a_size(sweep.points.front().run))
      throw Misuse("sweep.tune", sweep.tuned.front().key,
                   sweep.points.front().run.model.kind +
                       " is only a size, which has no loss to choose by; leave it out");
    std::optional<Sweep> chosen = tuned(sweep, options, output_is_there);
    if (!chosen) return options.stop->interrupted.load() ? exit_interrupted : exit_lost;
    sweep = std::move(*chosen);
    output_is_there = std::filesystem::exists(sweep.output);
  }
  std::optional<LiveSweepPage> live;
  if (options.live_port)
    live.emplace(sweep.output, shown_points(sweep, options), options.resume, *options.live_port,
                 print_notice);
  SweepRun run(sweep, PointsAre::results, options, sweep.output, output_is_there);
  run.run();

  const std::vector<SweepRow>& rows = run.rows();
  const std::vector<ClaimVerdict> verdicts = verdicts_on(sweep, rows);
  if (options.json)
    std::printf("%s\n", json_text(record_of(sweep, rows, options.network)).c_str());
  else
    std::fputs(("\n" + table_of(sweep, rows) + text_of(verdicts) + not_reproduced_text(sweep)).c_str(),
               stdout);
  if (run.has_record() && !options.json && !options.quiet)
    std::printf("\noutput  %s\n", sweep.output.c_str());
  if (live) live->end();
  if (options.stop->interrupted.load()) {
    if (run.has_record()) print_notice("interrupted; --resume goes on");
    return exit_interrupted;
  }
  if (run.missing() > 0) {
    print_notice(missing_text(run.missing(), sweep));
    return exit_lost;
  }
  return exit_code_of_results(sweep, options, rows, verdicts);
}

std::size_t task_number(const std::string& text) {
  constexpr std::uint64_t most = 1'000'000;
  std::uint64_t tasks = 0;
  if (!parse_whole(text, tasks) || tasks < 1 || tasks > most)
    throw Misuse("--tasks", text, "expected a whole number of tasks, 1 to " + std::to_string(most));
  return tasks;
}

}  // namespace

void add_sweep(CommandLine& program, Invocation& invocation) {
  CommandLine command = program.command("sweep", "every point of the run file's [sweep], and a table");
  const auto options = std::make_shared<SweepOptions>();
  options->stop = &invocation.stop;
  add_output_options(command, *options);
  add_per_peer_option(command, *options);
  add_threads_option(command, *options);
  add_live_option(command, *options);
  command.flag("--resume", options->resume, "keep the points that an earlier sweep has finished");
  command.option("--only", &options->only,
                 "run only this variant, may be repeated; --resume keeps the others' results",
                 {.value_name = "VARIANT"});
  command.option(
      "--network",
      [&network = options->network](const std::string& name) {
        network = name == "kernel" ? SlowedBy::kernel : SlowedBy::shaper;
      },
      "what slows the peers down [shaper]; kernel: real processes in network namespaces (root only)",
      {.value_name = "shaper|kernel", .values = {"shaper", "kernel"}});
  command.option_or_text(
      "--slurm", [&slurm = options->slurm](const std::string& text) { slurm = shell_words("--slurm", text); },
      "an array job of Slurm tries the points; --slurm=\"--partition=long --time=1:00:00\" are options of "
      "sbatch");
  command.option("--tasks",
                 [&tasks = options->most_tasks](const std::string& text) { tasks = task_number(text); },
                 "tasks of the array job at most [1000]", {.value_name = "N", .needs = "--slurm"});
  command.examples({"hearsay sweep quickstart.toml",
                    "hearsay sweep quickstart.toml --set sweep.driver=simulate --output runs/virtual",
                    "hearsay sweep quickstart.toml --slurm --tasks 20"});
  command.when_chosen([options, &invocation] {
    invocation.on_signal = OnSignal::end_in_good_order;
    invocation.run = [options] { return sweep_command(*options); };
  });
}

}  // namespace hearsay

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "runtime/record/output_rules.hpp"
#include "tools/sweep/sweep_run.hpp"
#include "tools/sweep/sweep_unit.hpp"
#include "tools/sweep/task_folder.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/commands.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/training/side_by_side.hpp"
#include "topology/foundation/host_refusal.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;

/// Returns a name that no other task of the job has: the number of the task, outside of Slurm host and
/// process.
std::string task_name() {
  if (const char* const number = std::getenv("SLURM_ARRAY_TASK_ID")) return number;
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  return std::string(host.data()) + "-" + std::to_string(getpid());
}

/// Tries the points of a unit, and leaves their rows. If this task is to end in the middle of them, or this
/// host lacks what they need, another may have the unit. Returns what the host lacks.
std::optional<HostRefusal> try_unit(const SweepPlan& plan, const SweepOptions& options,
                                    const TaskUnits::Unit& unit, TaskUnits& units) {
  Sweep sweep = plan.sweep;
  sweep.points = points_from_json(unit.content);
  const std::string others =
      sweep.points.size() == 1 ? "" : " and " + counted(sweep.points.size() - 1, "other network");
  print_notice(std::string(news_of_a_task) + name_of(sweep, sweep.points.front()) + others);
  SweepRun run(sweep, plan.points, options, sweep.output, true, RecordIs::left_to_another);
  try {
    run.run();
    if (options.stop->interrupted.load())
      units.give_back(unit.number);
    else
      units.finish(unit.number, rows_to_json(run.rows(), sweep.output));
    return std::nullopt;
  } catch (const HostRefusal& refusal) {
    units.give_back(unit.number);
    return refusal;
  }
}

int sweep_task_command(const fs::path& output, StopRequest& stop) {
  const fs::path folder = fs::absolute(output) / task_folder;
  const nlohmann::ordered_json written = plan_in(folder);
  if (written.is_null())
    throw Misuse(output.string() + " has no work left of hearsay sweep --slurm, which starts this command");
  const SweepPlan plan = plan_from_json(written);
  SweepOptions options = plan.options;
  options.stop = &stop;
  options.quiet = true;
  stop.is_heeded = true;
  // Real processes need the whole machine, and are forked from a process without threads.
  const bool is_virtual = plan.sweep.driver == Sweep::Driver::simulate;
  const std::size_t threads = is_virtual ? threads_of(options) : 1;
  const std::size_t share = (plan.units + plan.tasks - 1) / plan.tasks;
  const std::size_t at_once = std::clamp<std::size_t>(share, 1, threads);
  options.threads = threads / at_once;
  TaskUnits units(folder, plan.units, task_name());
  std::mutex mutex;
  std::optional<HostRefusal> lacking;
  side_by_side(at_once, at_once, [&](std::size_t) {
    while (!stop.interrupted.load()) {
      const auto unit = units.take();
      if (!unit) return;
      const auto refusal = try_unit(plan, options, *unit, units);
      const std::lock_guard lock(mutex);
      if (!refusal) continue;
      if (lacking) print_notice(lacking->what());  // the last one is said at the end
      lacking = refusal;
    }
  });
  // Last, so that Slurm tells the failure and this node, and the sentence is the last in the log.
  if (lacking) throw HostRefusal(*lacking);
  return stop.interrupted.load() ? exit_interrupted : exit_done;
}

}  // namespace

void add_task(CommandLine& program, Invocation& invocation) {
  CommandLine command =
      program.command("task", "what a task of hearsay sweep --slurm runs: points that no other task has");
  const auto output = std::make_shared<fs::path>();
  command.argument("FOLDER", output.get(), "output of the sweep, which all nodes share");
  command.examples({"hearsay task runs/quickstart"});
  command.when_chosen([output, &invocation] {
    invocation.on_signal = OnSignal::end_in_good_order;
    invocation.run = [output, &invocation] { return sweep_task_command(*output, invocation.stop); };
  });
}

}  // namespace hearsay

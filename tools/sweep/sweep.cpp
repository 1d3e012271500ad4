#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "runtime/foundation/whole_file.hpp"
#include "runtime/network/kernel_network.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/run_directory.hpp"
#include "tools/report/live_sweep_page.hpp"
#include "tools/sweep/sweep_rows.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/commands.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/training/learned_point.hpp"
#include "tools/training/side_by_side.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

struct SweepOptions : RunOptions {
  SlowedBy network = SlowedBy::shaper;
};

/// Indices of points of the sweep that differ in nothing but the network.
using Group = std::vector<std::size_t>;

/// Returns the groups that are trained once each. In virtual time, points that differ in the network only are
/// one group; with real processes every point is a group of its own.
std::vector<Group> groups_of(const Sweep& sweep) {
  std::vector<Group> groups;
  for (std::size_t k = 0; k < sweep.points.size(); ++k) {
    const auto same = std::ranges::find_if(groups, [&](const Group& group) {
      return sweep.driver == Sweep::Driver::simulate &&
             differ_in_the_network_only(sweep.points[group.front()].run, sweep.points[k].run);
    });
    if (same == groups.end())
      groups.push_back({k});
    else
      same->push_back(k);
  }
  return groups;
}

SweepRow row_of(const SweepPoint& point, const FinishedRun& run) {
  SweepRow row(point);
  row.status = to_text(run.status);
  row.exit_code = exit_code_of(run.status);
  row.note = run.reason;
  if (point.run.algorithm.allow_unsound)
    for (const std::string& warning : run.warnings)
      row.note += (row.note.empty() ? "allow_unsound: " : "; ") + warning;
  row.summary = run.summary;
  return row;
}

/// Tries every point of a sweep once. In virtual time groups run side by side; real processes run one point
/// after the other, since each needs the whole machine.
class SweepRun {
 public:
  SweepRun(const Sweep& sweep, const SweepOptions& options)
      : sweep_(sweep), options_(options), groups_(groups_of(sweep)) {
    if (options.resume) rows_ = finished_rows(sweep, options.network);
    if (!rows_.empty() && !options.quiet)
      std::fprintf(stderr, "hearsay: %s of %zu finished before, and kept\n",
                   counted(rows_.size(), "point").c_str(), sweep.points.size());
    output_made_ = options.resume && !rows_.empty();
    kept_ = rows_.size();
  }

  void run() {
    if (sweep_.driver == Sweep::Driver::run) {
      for (const Group& group : groups_) try_group(group);
    } else {
      side_by_side_ = std::min<std::size_t>(std::thread::hardware_concurrency(), groups_.size()) > 1;
      side_by_side(groups_.size(), [this](std::size_t k) { try_group(groups_[k]); });
    }
    compare_with_baseline(sweep_.baseline, rows_);
    if (output_made_) write_record();
  }

  const std::vector<SweepRow>& rows() const { return rows_; }
  bool output_made() const { return output_made_; }

 private:
  void try_group(const Group& group) {
    std::unique_ptr<LearnedPoint> learned;
    std::optional<std::string> refused;  // refused on any network, so every later point of the group is, too
    for (const std::size_t place : group) {
      if (is_finished(place) || options_.stop->interrupted.load()) continue;
      const bool is_news = !refused;
      SweepRow row = refused ? refused_row(place, *refused) : attempt(place, group, learned);
      if (row.exit_code == exit_misuse && !learned) refused = row.note;
      add(place, std::move(row), is_news);
    }
  }

  bool is_finished(std::size_t place) {
    const std::lock_guard lock(mutex_);
    return std::ranges::binary_search(rows_, &sweep_.points[place], {}, &SweepRow::point);
  }

  std::string title_of(std::size_t place) const {
    return "[" + std::to_string(place + 1) + "/" + std::to_string(sweep_.points.size()) + "] " +
           label_of(sweep_.points[place]);
  }

  SweepRow refused_row(std::size_t place, const std::string& why) const {
    SweepRow row(sweep_.points[place]);
    row.note = why;
    return row;
  }

  SweepRow attempt(std::size_t place, const Group& group, std::unique_ptr<LearnedPoint>& learned) {
    const SweepPoint& point = sweep_.points[place];
    const EarlierOutput earlier =
        options_.overwrite || options_.resume ? EarlierOutput::replaced : EarlierOutput::refused;
    try {
      if (learned) {
        before_output();
        return row_of(point, learned->on_network_of(point.run, earlier, options_.save));
      }
      return row_of(
          point,
          train(point.run, {.driver = sweep_.driver == Sweep::Driver::run ? Driver::zmq : Driver::simulator,
                            .earlier = earlier,
                            .quiet = options_.quiet || side_by_side_,
                            .save = options_.save,
                            .stop = options_.stop,
                            .network = options_.network,
                            .title = title_of(place),
                            .learned = group.size() > 1 ? &learned : nullptr,
                            .before_output = [this] { before_output(); }}));
    } catch (const Misuse& misuse) {
      return refused_row(place, misuse.what());
    }
  }

  /// Makes the output directory of the sweep when its first point begins to write.
  void before_output() {
    const std::lock_guard lock(mutex_);
    if (std::exchange(output_made_, true)) return;
    // The only point makes the folder itself.
    if (sweep_.points.front().folder == sweep_.output) return;
    create_output(sweep_.output, options_.overwrite || options_.resume);
    write_record();
  }

  void write_record() const {
    write_file(sweep_.output / "sweep.json",
               {json_text(record_of(sweep_, rows_, options_.network), 2), "\n"});
  }

  void add(std::size_t place, SweepRow row, bool is_news) {
    const std::lock_guard lock(mutex_);
    if (row.exit_code == exit_misuse && is_news && !options_.quiet)
      std::fprintf(stderr, "hearsay: %s: %s\n", title_of(place).c_str(), row.note.c_str());
    const auto behind = std::ranges::upper_bound(rows_, row.point, {}, &SweepRow::point);
    rows_.insert(behind, std::move(row));
    // In virtual time many points may end in a second. A point of real processes may be followed by one that
    // takes hours.
    if (const Clock::time_point now = Clock::now();
        output_made_ && (sweep_.driver == Sweep::Driver::run || now - written_ > std::chrono::seconds(1))) {
      written_ = now;
      compare_with_baseline(sweep_.baseline, rows_);
      write_record();
    }
    say_how_far(place);
  }

  /// Tells the progress of the sweep, at most once a second. A point that trains alone tells its own
  /// progress.
  void say_how_far(std::size_t place) {
    const Clock::time_point now = Clock::now();
    const bool all = rows_.size() == sweep_.points.size();
    if (options_.quiet || sweep_.driver == Sweep::Driver::run || sweep_.points.size() == 1) return;
    if (!all && now - said_ < std::chrono::seconds(1)) return;
    said_ = now;
    const double elapsed = std::chrono::duration<double>(now - began_).count();
    const auto done = static_cast<double>(rows_.size() - kept_);
    const std::string left =
        all ? ""
            : ", ETA " +
                  seconds_text(elapsed / done * static_cast<double>(sweep_.points.size() - rows_.size()));
    std::fprintf(stderr, "%zu of %s, %s%s; last: %s\n", rows_.size(),
                 counted(sweep_.points.size(), "point").c_str(), seconds_text(elapsed).c_str(), left.c_str(),
                 label_of(sweep_.points[place]).c_str());
  }

  using Clock = std::chrono::steady_clock;

  const Sweep& sweep_;
  const SweepOptions& options_;
  std::vector<Group> groups_;
  bool side_by_side_ = false;
  const Clock::time_point began_ = Clock::now();

  std::mutex mutex_;            // over the rest
  std::vector<SweepRow> rows_;  // in the order of the points
  std::size_t kept_ = 0;
  bool output_made_ = false;
  Clock::time_point said_ = began_;
  Clock::time_point written_{};
};

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

std::vector<LiveSweepPoint> shown_points(const Sweep& sweep) {
  std::vector<LiveSweepPoint> points;
  for (const SweepPoint& point : sweep.points)
    points.push_back({label_of(point), point.folder,
                      point.run.run.epochs ? std::nullopt : std::optional(point.run.run.iterations)});
  return points;
}

int sweep_command(const SweepOptions& options) {
  if (options.resume && options.overwrite)
    throw Misuse("--resume", "", "it keeps what --overwrite would replace");
  Sweep sweep = load_sweep(options.file, options.assignments);
  if (options.network == SlowedBy::kernel) {
    sweep.driver = Sweep::Driver::run;
    require_kernel_network();
  }
  require_free_output(sweep.output, options.overwrite || options.resume);
  std::optional<LiveSweepPage> live;
  if (options.live_port)
    live.emplace(sweep.output, shown_points(sweep), options.resume, *options.live_port, print_notice);
  SweepRun run(sweep, options);
  run.run();

  const std::vector<SweepRow>& rows = run.rows();
  if (options.json)
    std::printf("%s\n", json_text(record_of(sweep, rows, options.network)).c_str());
  else
    std::fputs(("\n" + table_of(sweep, rows)).c_str(), stdout);
  if (run.output_made() && !options.json && !options.quiet)
    std::printf("\noutput  %s\n", sweep.output.c_str());
  if (live) live->end();
  if (options.stop->interrupted.load()) return exit_interrupted;
  const bool one_succeeded =
      std::ranges::any_of(rows, [](const SweepRow& row) { return row.exit_code == exit_done; });
  return one_succeeded || rows.empty() ? exit_done : rows.front().exit_code;
}

}  // namespace

void add_sweep(CommandLine& program, Invocation& invocation) {
  CommandLine command = program.command("sweep", "every point of the run file's [sweep], and a table");
  const auto options = std::make_shared<SweepOptions>();
  options->stop = &invocation.stop;
  add_output_options(command, *options);
  add_live_option(command, *options);
  command.flag("--resume", options->resume, "keep the points that an earlier sweep has finished");
  command.option(
      "--network",
      [&network = options->network](const std::string& name) {
        network = name == "kernel" ? SlowedBy::kernel : SlowedBy::shaper;
      },
      "what slows the peers down [shaper]; kernel: real processes in network namespaces (root only)",
      {.value_name = "shaper|kernel", .values = {"shaper", "kernel"}});
  command.when_chosen([options, &invocation] {
    invocation.on_signal = OnSignal::end_in_good_order;
    invocation.run = [options] { return sweep_command(*options); };
  });
}

}  // namespace hearsay

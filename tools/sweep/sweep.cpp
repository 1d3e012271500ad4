#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "runtime/foundation/whole_file.hpp"
#include "runtime/network/kernel_network.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/run_directory.hpp"
#include "runtime/settings/sweep_tuning.hpp"
#include "runtime/toml/document.hpp"
#include "tools/report/live_sweep_page.hpp"
#include "tools/sweep/sweep_rows.hpp"
#include "tools/sweep/sweep_table.hpp"
#include "tools/sweep/tuned_choice.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/commands.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/terminal/shell_word.hpp"
#include "tools/training/learned_point.hpp"
#include "tools/training/side_by_side.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/nearest_name.hpp"

namespace hearsay {

namespace {

struct SweepOptions : RunOptions {
  SlowedBy network = SlowedBy::shaper;
  std::vector<std::string> only;  ///< the variants that are run; empty: all

  bool chooses(const SweepPoint& point) const {
    return only.empty() || std::ranges::find(only, point.variant) != only.end();
  }
};

/// Indices of points of the sweep that differ in nothing but the network.
using Group = std::vector<std::size_t>;

/// Returns the groups that are trained once each. In virtual time, points that differ in the network only are
/// one group; with real processes every point is a group of its own. All points with the first seed come
/// before those with the second: a sweep that is cut short has compared all variants, and what slows the
/// machine down for an hour slows down all of them.
std::vector<Group> groups_of(const Sweep& sweep) {
  std::vector<Group> groups;
  std::map<std::string, std::size_t> group_of;  // in virtual time, by what its points share
  for (std::size_t k = 0; k < sweep.points.size(); ++k) {
    std::size_t place = groups.size();
    if (sweep.driver == Sweep::Driver::simulate)
      place = group_of.emplace(all_but_the_network(sweep.points[k].run), place).first->second;
    if (place == groups.size()) groups.emplace_back();
    groups[place].push_back(k);
  }
  std::ranges::stable_sort(groups, {},
                           [&](const Group& group) { return sweep.points[group.front()].repetition; });
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
  row.take(run.summary);
  return row;
}

/// Returns what a point is called in messages: with repeats, also its seed.
std::string name_of(const Sweep& sweep, const SweepPoint& point) {
  return label_of(point) + (sweep.repeats > 1 ? ", seed " + std::to_string(point.run.run.seed) : "");
}

/// Tries every point of a sweep once, or those of --only. In virtual time groups run side by side; real
/// processes run one point after the other, since each needs the whole machine.
class SweepRun {
 public:
  /// `output` is the directory that is made before the first result, unless it is there to be gone on in. It
  /// is the sweep's own, or holds it.
  SweepRun(const Sweep& sweep, const SweepOptions& options, std::filesystem::path output,
           bool output_is_there)
      : sweep_(sweep),
        options_(options),
        output_(std::move(output)),
        output_is_there_(output_is_there),
        groups_(groups_of(sweep)) {
    if (options.resume) rows_ = kept_rows(sweep, options.network, options.only);
    if (!rows_.empty() && !options.quiet)
      std::fprintf(stderr, "hearsay: %s of %zu finished before, and kept\n",
                   counted(rows_.size(), "point").c_str(), sweep.points.size());
    has_record_ = !rows_.empty();
    kept_ = rows_.size();
    for (std::size_t place = 0; place < sweep.points.size(); ++place)
      if (options_.chooses(sweep_.points[place]) && !is_finished(place)) ++to_try_;
  }

  void run() {
    if (sweep_.driver == Sweep::Driver::run) {
      for (const Group& group : groups_) try_group(group);
    } else {
      side_by_side_ = std::min<std::size_t>(std::thread::hardware_concurrency(), groups_.size()) > 1;
      side_by_side(groups_.size(), [this](std::size_t k) { try_group(groups_[k]); });
    }
    compare_with_baseline(sweep_.baseline, rows_);
    if (has_record_) write_record();
  }

  const std::vector<SweepRow>& rows() const { return rows_; }
  /// How many points run() tries, unless it is interrupted.
  std::size_t to_try() const { return to_try_; }
  bool has_record() const { return has_record_; }

 private:
  void try_group(const Group& group) {
    std::unique_ptr<LearnedPoint> learned;
    std::optional<std::string> refused;  // refused on any network, so every later point of the group is, too
    for (const std::size_t place : group) {
      if (!options_.chooses(sweep_.points[place]) || is_finished(place) || options_.stop->interrupted.load())
        continue;
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
    const std::string number = std::to_string(place + 1) + "/" + std::to_string(sweep_.points.size());
    return "[" + number + "] " + name_of(sweep_, sweep_.points[place]);
  }

  SweepRow refused_row(std::size_t place, const std::string& why) const {
    SweepRow row(sweep_.points[place]);
    row.note = why;
    return row;
  }

  SweepRow attempt(std::size_t place, const Group& group, std::unique_ptr<LearnedPoint>& learned) {
    const SweepPoint& point = sweep_.points[place];
    const EarlierOutput earlier =
        output_is_there_ ? EarlierOutput::replaced : EarlierOutput::left_to_the_sweep;
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

  /// Makes the output directory of the sweep when its first point begins to write. A sweep that goes on in
  /// its output removes nothing: a point that is tried again replaces its own folder.
  void before_output() {
    const std::lock_guard lock(mutex_);
    if (has_record_) return;
    if (!output_is_there_) create_output(output_, options_.overwrite);
    std::filesystem::create_directories(sweep_.output);
    has_record_ = true;
    write_record();
  }

  void write_record() const {
    write_file(sweep_.output / "sweep.json",
               {json_text(record_of(sweep_, rows_, options_.network), 2), "\n"});
  }

  void add(std::size_t place, SweepRow row, bool is_news) {
    const std::lock_guard lock(mutex_);
    if (row.exit_code == exit_misuse && is_news && !options_.quiet &&
        refusals_said_.emplace(row.point->variant, row.note).second)
      std::fprintf(stderr, "hearsay: %s: %s\n", title_of(place).c_str(), row.note.c_str());
    const auto behind = std::ranges::upper_bound(rows_, row.point, {}, &SweepRow::point);
    rows_.insert(behind, std::move(row));
    // In virtual time many points may end in a second. A point of real processes may be followed by one that
    // takes hours.
    if (const Clock::time_point now = Clock::now();
        has_record_ && (sweep_.driver == Sweep::Driver::run ||
                        now - written_ > std::max<Clock::duration>(std::chrono::seconds(1), 20 * writing_))) {
      compare_with_baseline(sweep_.baseline, rows_);
      write_record();
      written_ = Clock::now();
      writing_ = written_ - now;
    }
    say_how_far(place);
  }

  /// Tells the progress of the sweep, at most once a second. A point that trains alone tells its own
  /// progress.
  void say_how_far(std::size_t place) {
    const Clock::time_point now = Clock::now();
    const std::size_t tried = rows_.size() - kept_;
    const bool all = tried == to_try_;
    if (options_.quiet || sweep_.driver == Sweep::Driver::run || sweep_.points.size() == 1) return;
    if (!all && now - said_ < std::chrono::seconds(1)) return;
    said_ = now;
    const double elapsed = std::chrono::duration<double>(now - began_).count();
    const std::string left = all ? ""
                                 : ", ETA " + seconds_text(elapsed / static_cast<double>(tried) *
                                                           static_cast<double>(to_try_ - tried));
    std::fprintf(stderr, "%zu of %s, %s%s; last: %s\n", rows_.size(),
                 counted(kept_ + to_try_, "point").c_str(), seconds_text(elapsed).c_str(), left.c_str(),
                 name_of(sweep_, sweep_.points[place]).c_str());
  }

  using Clock = std::chrono::steady_clock;

  const Sweep& sweep_;
  const SweepOptions& options_;
  std::filesystem::path output_;
  bool output_is_there_;
  std::vector<Group> groups_;
  bool side_by_side_ = false;
  const Clock::time_point began_ = Clock::now();

  std::mutex mutex_;            // over the rest
  std::vector<SweepRow> rows_;  // in the order of the points
  std::size_t kept_ = 0;
  std::size_t to_try_ = 0;
  bool has_record_ = false;  // sweep.json is of this sweep
  Clock::time_point said_ = began_;
  Clock::time_point written_{};
  Clock::duration writing_{};  // what the last record took: it grows with the sweep
  std::set<std::pair<std::string, std::string>> refusals_said_;  // variant and reason
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

std::string label_of(const TunedValues& values) {
  std::string label = values.variant;
  for (const auto& [key, value] : values.axes) label += (label.empty() ? "" : ", ") + key + " = " + value;
  return label.empty() ? "tuning" : label;
}

/// Returns the sweep with the values that tuning has chosen; tries the candidates for that. Empty if it was
/// interrupted.
std::optional<Sweep> tuned(const Sweep& sweep, const SweepOptions& options, bool output_is_there) {
  const Sweep tuning = tuning_of(sweep);
  SweepRun run(tuning, options, sweep.output, output_is_there);
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
  std::vector<TunedValues> values;
  for (const TunedChoice& choice : tuned_choices(sweep, tuning, run.rows())) {
    values.push_back(choice.values);
    if (!choice.reservation.empty()) print_notice(label_of(choice.values) + ": " + choice.reservation);
  }
  return with_tuned_values(sweep, values);
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
    sweep.driver = Sweep::Driver::run;
    require_kernel_network();
  }
  require_variants(sweep, options.only);
  bool output_is_there = options.resume && holds_a_sweep(sweep.output);
  if (!output_is_there) require_free_output(sweep.output, options.overwrite);
  if (!sweep.tuned.empty()) {
    std::optional<Sweep> chosen = tuned(sweep, options, output_is_there);
    if (!chosen) return exit_interrupted;
    sweep = std::move(*chosen);
    output_is_there = std::filesystem::exists(sweep.output);
  }
  std::optional<LiveSweepPage> live;
  if (options.live_port)
    live.emplace(sweep.output, shown_points(sweep, options), options.resume, *options.live_port,
                 print_notice);
  SweepRun run(sweep, options, sweep.output, output_is_there);
  run.run();

  const std::vector<SweepRow>& rows = run.rows();
  if (options.json)
    std::printf("%s\n", json_text(record_of(sweep, rows, options.network)).c_str());
  else
    std::fputs(("\n" + table_of(sweep, rows)).c_str(), stdout);
  if (run.has_record() && !options.json && !options.quiet)
    std::printf("\noutput  %s\n", sweep.output.c_str());
  if (live) live->end();
  if (options.stop->interrupted.load()) return exit_interrupted;
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
  command.examples({"hearsay sweep quickstart.toml",
                    "hearsay sweep quickstart.toml --set sweep.driver=simulate --output runs/virtual"});
  command.when_chosen([options, &invocation] {
    invocation.on_signal = OnSignal::end_in_good_order;
    invocation.run = [options] { return sweep_command(*options); };
  });
}

}  // namespace hearsay

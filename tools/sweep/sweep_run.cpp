#include "tools/sweep/sweep_run.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <new>
#include <optional>

#include "algorithms/methods/registry.hpp"
#include "runtime/foundation/text_bytes.hpp"
#include "runtime/foundation/whole_file.hpp"
#include "runtime/record/checksummed_record.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/run_directory.hpp"
#include "tools/sweep/slurm_sweep.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/training/learned_point.hpp"
#include "tools/training/side_by_side.hpp"
#include "topology/foundation/host_refusal.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

SweepRow row_of(const SweepPoint& point, const FinishedRun& run) {
  SweepRow row(point);
  row.status = to_text(run.status);
  row.exit_code = exit_code_of(run);
  row.note = run.program_failure.empty() ? run.reason : run.program_failure;
  if (point.run.algorithm.allow_unsound)
    for (const std::string& warning : run.warnings)
      row.note += (row.note.empty() ? "allow_unsound: " : "; ") + warning;
  row.take(run.summary);
  return row;
}

}  // namespace

std::string name_of(const Sweep& sweep, const SweepPoint& point) {
  return label_of(point) + (sweep.repeats > 1 ? ", seed " + std::to_string(point.run.run.seed) : "");
}

/// Returns the groups that are trained once each. In virtual time, points that differ in the network only are
/// one group; with real processes every point is a group of its own. All points with the first seed come
/// before those with the second: a sweep that is cut short has compared all variants, and what slows the
/// machine down for an hour slows down all of them.
std::vector<SweepRun::Group> SweepRun::groups_of(const Sweep& sweep) {
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

SweepRun::SweepRun(const Sweep& sweep, PointsAre points, const SweepOptions& options,
                   std::filesystem::path output, bool output_is_there, RecordIs record)
    : sweep_(sweep),
      points_(points),
      options_(options),
      output_(std::move(output)),
      output_is_there_(output_is_there),
      record_(record),
      groups_(groups_of(sweep)) {
  EarlierResults earlier;
  if (options.resume) earlier = earlier_results(sweep, options.network, options.only);
  rows_ = std::move(earlier.kept);
  if (!rows_.empty() && !options.quiet)
    print_notice(counted(rows_.size(), "point") + " of " + std::to_string(sweep.points.size()) +
                 " finished before, and kept");
  if (earlier.outdated > 0 && !options.quiet)
    print_notice(counted(earlier.outdated, "point") + " had other settings before, and are run again");
  has_record_ = !rows_.empty();
  kept_ = rows_.size();
  for (std::size_t place = 0; place < sweep.points.size(); ++place)
    if (options_.chooses(sweep_.points[place]) && !is_finished(place)) ++to_try_;
}

void SweepRun::run() {
  if (options_.slurm)
    run_under_slurm();
  else
    run_here();
  compare_with_baseline(sweep_.baseline, rows_);
  if (has_record_) write_record();
}

void SweepRun::run_here() {
  if (sweep_.driver == Sweep::Driver::run) {
    for (const Group& group : groups_) try_group(group);
  } else {
    const std::size_t threads = threads_of(options_);
    const std::size_t at_once = std::clamp<std::size_t>(groups_.size(), 1, threads);
    threads_of_a_point_ = threads / at_once;
    side_by_side_ = at_once > 1;
    side_by_side(groups_.size(), at_once, [this](std::size_t k) { try_group(groups_[k]); });
  }
}

/// Leaves the groups to the tasks of an array job. The output is made before, since they share it.
void SweepRun::run_under_slurm() {
  std::vector<Group> left;
  for (const Group& group : groups_) {
    Group untried;
    for (const std::size_t place : group)
      if (options_.chooses(sweep_.points[place]) && !is_finished(place)) untried.push_back(place);
    if (!untried.empty()) left.push_back(std::move(untried));
  }
  if (left.empty() || options_.stop->interrupted.load()) return;
  SlurmSweep shared(sweep_, points_, options_, std::move(left));
  options_.stop->is_heeded = true;  // who submits a job that is held, releases or cancels it
  shared.submit();
  if (options_.stop->interrupted.load()) return shared.give_up();
  try {
    before_output();
    shared.run([this](std::size_t place, SweepRow row) { add(place, std::move(row), true); });
  } catch (const Misuse&) {
    shared.give_up();
    remove_empty_output();
    throw;
  }
  missing_ = kept_ + to_try_ - rows_.size();
  if (missing_ == 0) remove_empty_output();
}

/// Removes what was made for the tasks if they have left nothing in it, since every point was refused.
void SweepRun::remove_empty_output() {
  const bool all_refused =
      std::ranges::all_of(rows_, [](const SweepRow& row) { return row.summary.is_null(); });
  if (output_is_there_ || !all_refused) return;
  std::error_code ignored;
  std::filesystem::remove_all(output_, ignored);
  has_record_ = false;
}

void SweepRun::try_group(const Group& group) {
  LearnedPoints learned;
  std::optional<std::string> refused;  // refused on any network, so every later point of the group is, too
  std::optional<SweepRow> diverged;    // likewise
  for (const std::size_t place : group) {
    if (!options_.chooses(sweep_.points[place]) || is_finished(place) || options_.stop->interrupted.load())
      continue;
    const bool is_news = !refused;
    SweepRow row = refused    ? refused_row(place, *refused)
                   : diverged ? diverged_row(place, *diverged)
                              : attempt(place, group, learned);
    if (row.exit_code == exit_misuse && learned.empty()) refused = row.note;
    if (!diverged && diverges_everywhere(row)) diverged = row;
    add(place, std::move(row), is_news);
  }
}

bool SweepRun::is_finished(std::size_t place) {
  const std::lock_guard lock(mutex_);
  return std::ranges::binary_search(rows_, &sweep_.points[place], {}, &SweepRow::point);
}

std::string SweepRun::title_of(std::size_t place) const {
  const std::string number = std::to_string(place + 1) + "/" + std::to_string(sweep_.points.size());
  return "[" + number + "] " + name_of(sweep_, sweep_.points[place]);
}

SweepRow SweepRun::refused_row(std::size_t place, const std::string& why) const {
  SweepRow row(sweep_.points[place]);
  row.note = why;
  return row;
}

bool SweepRun::diverges_everywhere(const SweepRow& row) const {
  return points_ == PointsAre::candidates && sweep_.driver == Sweep::Driver::simulate &&
         row.exit_code == exit_diverged && !find_method(row.point->run.algorithm.kind).asynchronous;
}

SweepRow SweepRun::diverged_row(std::size_t place, const SweepRow& on_another_network) const {
  SweepRow row(sweep_.points[place]);
  row.status = on_another_network.status;
  row.exit_code = on_another_network.exit_code;
  row.note = std::string(as_on_another_network) + on_another_network.note;
  return row;
}

/// A task leaves what its host lacks to another host.
SweepRow SweepRun::row_of_lack(std::size_t place, const HostRefusal& lack) const {
  if (record_ == RecordIs::left_to_another) throw HostRefusal(lack);
  return refused_row(place, lack.what());
}

SweepRow SweepRun::attempt(std::size_t place, const Group& group, LearnedPoints& learned) {
  const SweepPoint& point = sweep_.points[place];
  const EarlierOutput earlier = output_is_there_ ? EarlierOutput::replaced : EarlierOutput::left_to_the_sweep;
  try {
    const auto same = std::ranges::find_if(learned, [&](const std::unique_ptr<LearnedPoint>& earlier_point) {
      return earlier_point->is_the_same_on_network_of(point.run);
    });
    if (same != learned.end()) {
      before_output();
      return row_of(point, (*same)->on_network_of(point.run, earlier,
                                                  {options_.save, options_.per_peer, options_.command}));
    }
    std::unique_ptr<LearnedPoint> fresh;
    SweepRow row = row_of(
        point,
        train(point.run, {.driver = sweep_.driver == Sweep::Driver::run ? Driver::zmq : Driver::simulator,
                          .earlier = earlier,
                          .quiet = options_.quiet || side_by_side_,
                          .save = options_.save,
                          .per_peer = options_.per_peer,
                          .threads = threads_of_a_point_,
                          .stop = options_.stop,
                          .network = options_.network,
                          .title = title_of(place),
                          .command = options_.command,
                          .learned = group.size() > 1 ? &fresh : nullptr,
                          .before_output = [this] { before_output(); }}));
    if (fresh) learned.push_back(std::move(fresh));
    return row;
  } catch (const std::bad_alloc&) {
    return row_of_lack(place,
                       HostRefusal(name_of(sweep_, point) + " takes more memory than this machine gives"));
  } catch (const HostRefusal& lack) {
    return row_of_lack(place, lack);
  } catch (const Misuse& misuse) {
    return refused_row(place, misuse.what());
  }
}

/// Makes the output directory of the sweep when its first point begins to write. A sweep that goes on in
/// its output removes nothing: a point that is tried again replaces its own folder.
void SweepRun::before_output() {
  const std::lock_guard lock(mutex_);
  if (has_record_) return;
  if (!output_is_there_) create_output(output_, options_.overwrite);
  std::filesystem::create_directories(sweep_.output);
  has_record_ = true;
  write_record();
}

void SweepRun::write_record() const {
  if (record_ == RecordIs::left_to_another) return;
  write_file(sweep_.output / "sweep.json", {checksummed_text(record_of(sweep_, rows_, options_.network))});
}

void SweepRun::add(std::size_t place, SweepRow row, bool is_news) {
  const std::lock_guard lock(mutex_);
  if (row.exit_code == exit_misuse && is_news && !options_.quiet &&
      refusals_said_.emplace(row.point->variant, row.note).second)
    print_notice(title_of(place) + ": " + row.note);
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
void SweepRun::say_how_far(std::size_t place) {
  const Clock::time_point now = Clock::now();
  const std::size_t tried = rows_.size() - kept_;
  const bool all = tried == to_try_;
  const bool trains_alone = sweep_.driver == Sweep::Driver::run && !options_.slurm;
  if (options_.quiet || trains_alone || sweep_.points.size() == 1) return;
  if (!all && now - said_ < std::chrono::seconds(1)) return;
  said_ = now;
  const double elapsed = std::chrono::duration<double>(now - began_).count();
  const std::string left = all ? ""
                               : ", ETA " + seconds_text(elapsed / static_cast<double>(tried) *
                                                         static_cast<double>(to_try_ - tried));
  std::fprintf(stderr, "%zu of %s, %s%s; last: %s\n", rows_.size(), counted(kept_ + to_try_, "point").c_str(),
               seconds_text(elapsed).c_str(), left.c_str(),
               printable(name_of(sweep_, sweep_.points[place])).c_str());
}

}  // namespace hearsay

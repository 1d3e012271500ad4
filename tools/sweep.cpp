#include "runtime/sweep_settings.hpp"

#include <cstdio>
#include <limits>
#include <utility>

#include "runtime/records.hpp"
#include "runtime/written_file.hpp"
#include "tools/human_text.hpp"
#include "tools/table.hpp"
#include "tools/training.hpp"
#include "topology/misuse.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// A point that was tried.
struct Row {
  const SweepPoint* point;
  std::string status;  ///< a run's, or "refused"
  int exit_code = exit_done;
  std::string note;  ///< why it failed, or what it was warned of
  Json summary;      ///< null where it was refused
  double speed_up = unknown;

  double number(const char* key) const {
    return summary.is_object() && summary[key].is_number() ? summary[key].get<double>() : unknown;
  }
};

/// How much sooner the target was reached than by the baseline at the same values of the axes.
void compare_with_baseline(const std::string& baseline, std::vector<Row>& rows) {
  for (Row& row : rows)
    for (const Row& other : rows)
      if (!baseline.empty() && other.point->variant == baseline && other.point->axes == row.point->axes)
        row.speed_up = other.number("seconds_to_target") / row.number("seconds_to_target");
}

Json record_of(const Sweep& sweep, const std::vector<Row>& rows) {
  Json points = Json::array();
  for (const Row& row : rows) {
    Json axes = Json::object();
    for (const auto& [key, value] : row.point->axes) axes[key] = value;
    Json point = {{"variant", row.point->variant},
                  {"axes", std::move(axes)},
                  {"folder", row.point->folder.lexically_relative(sweep.output).string()},
                  {"status", row.status},
                  {"note", row.note}};
    for (const char* key :
         {"algorithm", "compressor", "peers", "iterations", "loss", "accuracy", "consensus_distance",
          "seconds", "bytes_sent", "seconds_to_target", "bytes_to_target", "rounds_to_target"})
      point[key] = row.summary.is_object() ? row.summary[key] : Json(nullptr);
    point["speed_up"] = row.speed_up == row.speed_up ? Json(row.speed_up) : Json(nullptr);
    points.push_back(std::move(point));
  }
  return {{"schema", 1},
          {"driver", sweep.driver == Sweep::Driver::run ? "zmq" : "simulator"},
          {"baseline", sweep.baseline.empty() ? Json(nullptr) : Json(sweep.baseline)},
          {"points_in_total", sweep.points.size()},
          {"points", std::move(points)}};
}

std::string table_of(const Sweep& sweep, const std::vector<Row>& rows) {
  const bool with_target = std::ranges::any_of(
      sweep.points, [](const SweepPoint& point) { return point.run.run.target_loss.has_value(); });
  const bool compared = with_target && !sweep.baseline.empty();
  using enum Table::Align;
  std::vector<Table::Column> columns = {{"variant", left}};
  for (const auto& [key, value] : sweep.points.front().axes) columns.push_back({key, right});
  columns.insert(columns.end(), {{"status", left},
                                 {"iterations", right},
                                 {"loss", right},
                                 {with_target ? "seconds to target" : "seconds", right},
                                 {with_target ? "MB/peer to target" : "MB/peer", right},
                                 {with_target ? "rounds to target" : "rounds", right}});
  if (compared) columns.push_back({"speed-up", right});

  Table table(columns);
  for (const Row& row : rows) {
    const double seconds = row.number(with_target ? "seconds_to_target" : "seconds");
    const double bytes =
        with_target ? row.number("bytes_to_target") : row.number("bytes_sent") / row.number("peers");
    std::vector<std::string> cells = {row.point->variant.empty() ? row.point->run.run.name
                                                                 : row.point->variant};
    for (const auto& [key, value] : row.point->axes) cells.push_back(value);
    cells.insert(cells.end(), {row.status, fixed(row.number("iterations"), 0),
                               significant(row.number("loss"), 5), fixed(seconds, 2), fixed(bytes / 1e6, 3),
                               fixed(row.number(with_target ? "rounds_to_target" : "gossip_rounds"), 0)});
    if (compared) cells.push_back(row.speed_up == row.speed_up ? fixed(row.speed_up, 2) + "x" : "-");
    table.add(std::move(cells));
  }
  std::string text = table.text();
  for (const Row& row : rows)
    if (!row.note.empty()) text += "\n" + label_of(*row.point) + ": " + row.note + "\n";
  return text;
}

Row try_point(const SweepPoint& point, const TrainingOptions& options) {
  Row row{.point = &point, .status = "refused", .exit_code = exit_misuse, .note = {}, .summary = nullptr};
  try {
    const FinishedRun run = train(point.run, options);
    row.status = to_text(run.status);
    row.exit_code = exit_code_of(run.status);
    row.note = run.reason;
    if (point.run.algorithm.allow_unsound)
      for (const std::string& warning : run.warnings)
        row.note += (row.note.empty() ? "allow_unsound: " : "; ") + warning;
    row.summary = run.summary;
  } catch (const Misuse& misuse) {
    row.note = misuse.what();
  }
  return row;
}

}  // namespace

int sweep_command(const RunOptions& options) {
  const Sweep sweep = load_sweep(options.file, options.assignments);
  require_free_output(sweep.output, options.overwrite);
  bool output_made = false;
  std::vector<Row> rows;
  const auto write_record = [&] {
    write_file(sweep.output / "sweep.json", {json_text(record_of(sweep, rows), 2), "\n"});
  };
  // The folder comes into being with the first point that can begin.
  const auto make_output = [&] {
    if (std::exchange(output_made, true)) return;
    if (sweep.points.front().folder == sweep.output) return;  // a single point, which makes it itself
    create_output(sweep.output, options.overwrite);
    write_record();
  };

  for (std::size_t k = 0; k < sweep.points.size(); ++k) {
    const SweepPoint& point = sweep.points[k];
    const std::string title =
        "[" + std::to_string(k + 1) + "/" + std::to_string(sweep.points.size()) + "] " + label_of(point);
    if (options.interrupted->load()) break;
    rows.push_back(
        try_point(point, {.driver = sweep.driver == Sweep::Driver::run ? Driver::zmq : Driver::simulator,
                          .earlier = options.overwrite ? EarlierOutput::replaced : EarlierOutput::refused,
                          .quiet = options.quiet,
                          .save = options.save,
                          .interrupted = options.interrupted,
                          .title = title,
                          .before_output = make_output}));
    if (rows.back().exit_code == exit_misuse && !options.quiet)
      std::fprintf(stderr, "hearsay: %s: %s\n", title.c_str(), rows.back().note.c_str());
    compare_with_baseline(sweep.baseline, rows);
    if (output_made) write_record();
    if (rows.back().exit_code == exit_interrupted) break;
  }

  if (options.json)
    std::printf("%s\n", json_text(record_of(sweep, rows)).c_str());
  else
    std::fputs(("\n" + table_of(sweep, rows)).c_str(), stdout);
  if (output_made && !options.json && !options.quiet) std::printf("\noutput  %s\n", sweep.output.c_str());
  if (options.interrupted->load()) return exit_interrupted;
  const bool one_succeeded =
      std::ranges::any_of(rows, [](const Row& row) { return row.exit_code == exit_done; });
  return one_succeeded || rows.empty() ? exit_done : rows.front().exit_code;
}

}  // namespace hearsay

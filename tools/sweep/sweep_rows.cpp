#include "tools/sweep/sweep_rows.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "runtime/foundation/digest.hpp"
#include "runtime/foundation/whole_file.hpp"
#include "runtime/record/json.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/toml/document.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/table.hpp"
#include "tools/training/training.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

std::string folder_of(const Sweep& sweep, const SweepPoint& point) {
  return point.folder.lexically_relative(sweep.output).string();
}

/// Returns a digest of the settings of a point, without its output directory.
std::string settings_mark(const SweepPoint& point) {
  RunSettings settings = point.run;
  settings.run.output.clear();
  return hexadecimal(digest(to_toml(settings)));
}

Json read_json(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return nullptr;
  return Json::parse(read_text_file(file), nullptr, false);
}

Json driver_text(const Sweep& sweep) { return sweep.driver == Sweep::Driver::run ? "zmq" : "simulator"; }

/// Returns what slows the processes down; null if time is virtual.
Json network_text(const Sweep& sweep, SlowedBy network) {
  if (sweep.driver == Sweep::Driver::simulate) return nullptr;
  return network == SlowedBy::kernel ? "kernel" : "shaper";
}

}  // namespace

SweepRow::SweepRow(const SweepPoint& tried) : point(&tried), settings(settings_mark(tried)) {}

Json SweepRow::value(const char* key) const {
  return summary.is_object() && summary.contains(key) ? summary[key] : Json(nullptr);
}

double SweepRow::number(const char* key) const {
  const Json found = value(key);
  return found.is_number() ? found.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

void compare_with_baseline(const std::string& baseline, std::vector<SweepRow>& rows) {
  std::map<decltype(SweepPoint::axes), double> seconds;  // of the baseline
  for (const SweepRow& row : rows)
    if (!baseline.empty() && row.point->variant == baseline)
      seconds[row.point->axes] = row.number("seconds_to_target");
  for (SweepRow& row : rows)
    if (const auto found = seconds.find(row.point->axes); found != seconds.end())
      row.speed_up = found->second / row.number("seconds_to_target");
}

Json record_of(const Sweep& sweep, const std::vector<SweepRow>& rows, SlowedBy network) {
  Json points = Json::array();
  for (const SweepRow& row : rows) {
    Json axes = Json::object();
    for (const auto& [key, value] : row.point->axes) axes[key] = value;
    Json point = {
        {"variant", row.point->variant}, {"axes", std::move(axes)}, {"folder", folder_of(sweep, *row.point)},
        {"settings", row.settings},      {"status", row.status},    {"note", row.note}};
    for (const char* key :
         {"algorithm", "compressor", "peers", "iterations", "loss", "accuracy", "consensus_distance",
          "seconds", "bytes_sent", "seconds_to_target", "bytes_to_target", "rounds_to_target"})
      point[key] = row.value(key);
    if (network == SlowedBy::kernel) point["slowed_by"] = row.value("slowed_by");
    point["speed_up"] = row.speed_up == row.speed_up ? Json(row.speed_up) : Json(nullptr);
    points.push_back(std::move(point));
  }
  return {{"schema", 1},
          {"driver", driver_text(sweep)},
          {"network", network_text(sweep, network)},
          {"baseline", sweep.baseline.empty() ? Json(nullptr) : Json(sweep.baseline)},
          {"points_in_total", sweep.points.size()},
          {"points", std::move(points)}};
}

std::string table_of(const Sweep& sweep, const std::vector<SweepRow>& rows) {
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
  for (const SweepRow& row : rows) {
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
  std::set<std::pair<std::string, std::string>> said;  // a variant may have the same note on every network
  for (const SweepRow& row : rows)
    if (!row.note.empty() && said.emplace(row.point->variant, row.note).second)
      text += "\n" + label_of(*row.point) + ": " + row.note + "\n";
  return text;
}

std::vector<SweepRow> finished_rows(const Sweep& sweep, SlowedBy network) {
  std::vector<SweepRow> rows;
  const Json record = read_json(sweep.output / "sweep.json");
  if (!record.is_object() || !record.contains("points") || !record["points"].is_array()) return rows;
  if (record.value("driver", Json()) != driver_text(sweep) ||
      record.value("network", Json()) != network_text(sweep, network))
    return rows;
  std::map<std::string, const Json*> earlier_points;  // by their folders
  for (const Json& earlier : record["points"])
    if (earlier.is_object() && earlier.value("folder", Json()).is_string())
      earlier_points[earlier["folder"].get<std::string>()] = &earlier;
  for (const SweepPoint& point : sweep.points) {
    SweepRow row(point);
    if (const auto found = earlier_points.find(folder_of(sweep, point)); found != earlier_points.end()) {
      const Json& earlier = *found->second;
      if (earlier.value("settings", Json()) != row.settings) continue;
      for (const RunStatus status :
           {RunStatus::done, RunStatus::target, RunStatus::plateau, RunStatus::diverged})
        if (earlier.value("status", Json()) == to_text(status)) {
          row.status = to_text(status);
          row.exit_code = exit_code_of(status);
          if (earlier.value("note", Json()).is_string()) row.note = earlier["note"];
          row.summary = read_json(point.folder / "summary.json");
        }
    }
    if (row.summary.is_object()) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace hearsay

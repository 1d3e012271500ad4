#include "tools/sweep/sweep_rows.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include "runtime/foundation/digest.hpp"
#include "runtime/foundation/whole_file.hpp"
#include "runtime/record/checksummed_record.hpp"
#include "runtime/record/json.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/toml/document.hpp"
#include "tools/sweep/claim_verdicts.hpp"
#include "tools/sweep/sweep_cells.hpp"
#include "tools/training/training.hpp"
#include "topology/foundation/misuse.hpp"

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
  return parse_checksummed(read_text_file(file), file.string());
}

Json driver_text(const Sweep& sweep) { return sweep.driver == Sweep::Driver::run ? "zmq" : "simulator"; }

/// Returns what slows the processes down; null if time is virtual.
Json network_text(const Sweep& sweep, SlowedBy network) {
  if (sweep.driver == Sweep::Driver::simulate) return nullptr;
  return network == SlowedBy::kernel ? "kernel" : "shaper";
}

/// Returns the row with what an earlier sweep has found with the same settings. Empty if the result is not on
/// the disk. `is_tried_again` says whether a point that did not come to an end may be left out, since this
/// sweep tries it again.
std::optional<SweepRow> with_result(SweepRow row, const Json& earlier, bool is_tried_again) {
  if (earlier.value("note", Json()).is_string()) row.note = earlier["note"];
  if (earlier.value("status", Json()) == row.status && !is_tried_again) return row;  // refused
  for (const RunStatus status : {RunStatus::done, RunStatus::target, RunStatus::plateau, RunStatus::diverged,
                                 RunStatus::interrupted, RunStatus::lost}) {
    const bool has_ended = status != RunStatus::interrupted && status != RunStatus::lost;
    if (earlier.value("status", Json()) != to_text(status) || (is_tried_again && !has_ended)) continue;
    row.status = to_text(status);
    row.exit_code = exit_code_of(status);
    if (row.note.starts_with(as_on_another_network)) return row;
    row.take(read_json(row.point->folder / "summary.json"));
  }
  if (!row.summary.is_object()) return std::nullopt;
  return row;
}

using EarlierPoints = std::map<std::string, const Json*>;  // by their folders

/// Moves the folder of each result of a sweep without repeats into that of the repetition with its seed.
EarlierPoints moved_into_repetitions(const Sweep& sweep, const EarlierPoints& single) {
  std::map<std::string, const SweepPoint*> repetitions;  // by the folder of their cell and their settings
  for (const SweepPoint& point : sweep.points)
    repetitions[point.folder.parent_path().lexically_relative(sweep.output).string() + "\n" +
                settings_mark(point)] = &point;
  std::vector<std::pair<const SweepPoint*, const Json*>> moves;
  for (const auto& [folder, earlier] : single) {
    const auto found = repetitions.find(folder + "\n" + earlier->value("settings", std::string()));
    if (found != repetitions.end())
      moves.emplace_back(found->second, earlier);
    else if (std::filesystem::exists(sweep.output / folder))
      throw Misuse("sweep.repeat", std::to_string(sweep.repeats),
                   "the sweep that is to be resumed has no repeats, and other settings in " + folder +
                       "; expected --overwrite to replace it, or another --output");
  }
  EarlierPoints moved;
  for (const auto& [point, earlier] : moves) {
    moved[folder_of(sweep, *point)] = earlier;
    const std::filesystem::path cell = point->folder.parent_path();
    if (!std::filesystem::exists(cell)) continue;  // it was refused
    std::filesystem::path aside = cell;
    aside += ".moves";
    std::filesystem::rename(cell, aside);
    std::filesystem::create_directory(cell);
    std::filesystem::rename(aside, point->folder);
  }
  return moved;
}

}  // namespace

SweepRow::SweepRow(const SweepPoint& tried) : point(&tried), settings(settings_mark(tried)) {}

void SweepRow::take(Json of_the_run) {
  summary = std::move(of_the_run);
  if (!summary.is_object()) return;
  summary.erase("per_peer");
  summary.erase("peer_statistics");
  summary.erase("crc32_of");
}

Json SweepRow::value(const char* key) const {
  return summary.is_object() && summary.contains(key) ? summary[key] : Json(nullptr);
}

double SweepRow::number(const char* key) const {
  const Json found = value(key);
  return found.is_number() ? found.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

void compare_with_baseline(const std::string& baseline, std::vector<SweepRow>& rows) {
  std::map<std::pair<decltype(SweepPoint::axes), std::size_t>, double> seconds;  // of the baseline
  for (const SweepRow& row : rows)
    if (!baseline.empty() && row.point->variant == baseline)
      seconds[{row.point->axes, row.point->repetition}] = row.number("seconds_to_target");
  for (SweepRow& row : rows)
    if (const auto found = seconds.find({row.point->axes, row.point->repetition}); found != seconds.end())
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
          "seconds", "bytes_sent", "seconds_to_target", "bytes_to_target", "rounds_to_target",
          "bits_per_parameter_and_gradient", "computing_share", "samples_per_second"})
      point[key] = row.value(key);
    if (network == SlowedBy::kernel) point["slowed_by"] = row.value("slowed_by");
    for (const auto& [key, value] : row.point->tuned) point["tuned"][key] = value;
    if (sweep.repeats > 1) point["seed"] = row.point->run.run.seed;
    point["speed_up"] = row.speed_up == row.speed_up ? Json(row.speed_up) : Json(nullptr);
    points.push_back(std::move(point));
  }
  Json record = {{"schema", 1},
                 {"driver", driver_text(sweep)},
                 {"network", network_text(sweep, network)},
                 {"baseline", sweep.baseline.empty() ? Json(nullptr) : Json(sweep.baseline)},
                 {"points_in_total", sweep.points.size()}};
  for (const TunedAxis& axis : sweep.tuned) record["tuned"][axis.key] = axis.values;
  if (sweep.repeats > 1) {
    record["repeats"] = sweep.repeats;
    record["cells"] = record_of(cells_of(sweep, rows));
  }
  if (!sweep.title.empty()) record["title"] = sweep.title;
  if (!sweep.about.empty()) record["about"] = sweep.about;
  if (!sweep.claims.empty()) record["claims"] = record_of(verdicts_on(sweep, rows));
  if (!sweep.not_reproduced.empty()) record["not_reproduced"] = sweep.not_reproduced;
  record["points"] = std::move(points);
  return record;
}

bool holds_a_sweep(const std::filesystem::path& output) {
  std::error_code ignored;
  return std::filesystem::exists(output / "sweep.json", ignored) ||
         std::filesystem::exists(output / tuning_folder / "sweep.json", ignored);
}

bool is_chosen(const SweepPoint& point, const std::vector<std::string>& only) {
  return only.empty() || std::ranges::find(only, point.variant) != only.end();
}

EarlierResults earlier_results(const Sweep& sweep, SlowedBy network, const std::vector<std::string>& only) {
  EarlierResults results;
  const Json record = read_json(sweep.output / "sweep.json");
  const Json repeats = record.is_object() ? record.value("repeats", Json(1)) : Json();
  if (repeats.is_number_unsigned() && repeats > sweep.repeats)
    throw Misuse(
        "sweep.repeat", std::to_string(sweep.repeats),
        "the sweep that is to be resumed has " + repeats.dump() + " repeats; expected at least as many");
  if (!record.is_object() || !record.contains("points") || !record["points"].is_array()) return results;
  const bool is_alike = record.value("driver", Json()) == driver_text(sweep) &&
                        record.value("network", Json()) == network_text(sweep, network);
  EarlierPoints earlier_points;
  for (const Json& earlier : record["points"])
    if (earlier.is_object() && earlier.value("folder", Json()).is_string())
      earlier_points[earlier["folder"].get<std::string>()] = &earlier;
  if (is_alike && sweep.repeats > 1 && !record.contains("repeats"))
    earlier_points = moved_into_repetitions(sweep, earlier_points);
  for (const SweepPoint& point : sweep.points) {
    const auto found = earlier_points.find(folder_of(sweep, point));
    if (found == earlier_points.end()) continue;
    const bool is_tried_again = is_chosen(point, only);
    SweepRow row(point);
    const bool is_outdated = found->second->value("settings", Json()) != row.settings;
    if (is_outdated && is_tried_again) ++results.outdated;
    if (!is_alike) continue;
    if (is_outdated && !is_tried_again)
      throw Misuse("--only", toml_text(only.front()),
                   "the results of " + toml_text(point.variant) +
                       " are of other settings than now, and would be lost; expected those settings, or "
                       "another --output");
    if (is_outdated) continue;
    if (auto kept = with_result(std::move(row), *found->second, is_tried_again))
      results.kept.push_back(std::move(*kept));
  }
  return results;
}

}  // namespace hearsay

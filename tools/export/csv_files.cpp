#include "tools/export/csv_files.hpp"

#include <algorithm>
#include <set>

#include "runtime/foundation/whole_file.hpp"
#include "tools/export/export_folder.hpp"
#include "tools/report/quantity.hpp"
#include "tools/terminal/written_file.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// How both tables begin.
constexpr const char* table_mark = "folder,run,variant,";

/// Returns the columns of all axes of all runs.
std::vector<std::string> axis_columns(const std::vector<ExportedRun>& runs) {
  std::vector<std::string> columns;
  const auto add = [&](const std::string& column) {
    if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
  };
  for (const ExportedRun& exported : runs)
    for (const auto& [key, value] : exported.axes) {
      add(key);
      if (const auto quantity = read_quantity(value); quantity && !quantity->unit.empty())
        add(key + "_" + std::string(quantity->unit));
    }
  return columns;
}

/// Begins a row with what tells its run from others: in all rows of a table the same columns.
void begin_row(CsvTable& table, const ExportedRun& exported, const std::vector<std::string>& axes) {
  const RunFolder& run = exported.run;
  table.begin_row();
  table.set("folder", exported.folder.string());
  table.set("run", run.summary.is_object() ? run.summary.value("run", Json(nullptr))
                   : run.settings          ? Json(run.settings->run.name)
                                           : Json(nullptr));
  table.set("variant", exported.variant);
  for (const std::string& column : axes) table.set(column, nullptr);
  for (const auto& [key, value] : exported.axes) {
    table.set(key, value);
    if (const auto quantity = read_quantity(value); quantity && !quantity->unit.empty())
      table.set(key + "_" + std::string(quantity->unit), quantity->value);
  }
  table.set("seed", run.settings ? Json(run.settings->run.seed) : Json(nullptr));
}

/// Sets the quantiles and totals of all peers: "per_peer.wait_seconds.median".
void set_statistics(CsvTable& table, const Json& statistics) {
  if (!statistics.is_object() || !statistics.contains("columns")) return;
  for (const auto& [name, column] : statistics["columns"].items())
    for (const auto& [key, value] : column.items())
      if (!value.is_array()) table.set("per_peer." + name + "." + key, value);
}

/// Sets the members of a record, but those that are of no use in a table: what stands in other columns, and
/// digests, which a reader of tables takes for numbers.
void set_members(CsvTable& table, const Json& record) {
  static const std::set<std::string> left_out = {"schema",   "run",          "folder",
                                                 "variant",  "axes",         "settings",
                                                 "per_peer", "model_digest", "peer_statistics"};
  for (const auto& [key, value] : record.items())
    if (!left_out.contains(key)) table.set(key, value);
  if (const auto found = record.find("peer_statistics"); found != record.end()) set_statistics(table, *found);
}

}  // namespace

CsvTable evaluation_table(const std::vector<ExportedRun>& runs) {
  const std::vector<std::string> axes = axis_columns(runs);
  CsvTable table;
  for (const ExportedRun& exported : runs)
    for (const Json& evaluation : exported.run.course) {
      begin_row(table, exported, axes);
      for (const auto& [key, value] : evaluation.items()) table.set(key, value);
    }
  return table;
}

CsvTable run_table(const std::vector<ExportedRun>& runs) {
  const std::vector<std::string> axes = axis_columns(runs);
  CsvTable table;
  for (const ExportedRun& exported : runs) {
    const RunFolder& run = exported.run;
    begin_row(table, exported, axes);
    if (run.summary.is_object()) {
      set_members(table, run.summary);
    } else if (!run.run_file.empty()) {
      set_members(table, facts_of(run));
    }
    // facts_of is for eyes: seven digits.
    if (!run.summary.is_object() && !run.course.empty())
      for (const auto& [key, value] : run.course.back().items())
        table.set(key == "iteration" ? "iterations" : key == "epoch" ? "epochs" : key, value);
    if (run.settings && run.settings->run.target_loss)
      table.set("target_loss", *run.settings->run.target_loss);
    set_members(table, exported.tried);
  }
  return table;
}

void require_free_for_csv(const fs::path& folder, bool overwrite) {
  require_export_folder("--csv", folder);
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) return;
  for (const char* name : {"evaluations.csv", "runs.csv"})
    require_replaceable("--csv", folder / name, table_mark, "table", overwrite);
}

void write_csv(const fs::path& folder, const CsvTable& evaluations, const CsvTable& runs) {
  std::error_code ignored;
  const bool is_new = !fs::exists(folder, ignored);
  make_export_folder("--csv", folder);
  try {
    write_files({{folder / "evaluations.csv", evaluations.text()}, {folder / "runs.csv", runs.text()}});
  } catch (const Misuse&) {
    if (is_new) fs::remove(folder, ignored);
    throw;
  }
}

}  // namespace hearsay

#include "tools/sweep/sweep_cells.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

Json known(double number) { return std::isfinite(number) ? Json(number) : Json(nullptr); }

Json json_of(const Estimate& estimate, std::size_t tried) {
  return {{"mean", known(estimate.mean)}, {"deviation", known(estimate.deviation)},
          {"low", known(estimate.low)},   {"high", known(estimate.high)},
          {"count", estimate.count},      {"of", tried}};
}

/// Returns the estimate of baseline over cell, of the seeds with which both reached the target.
Estimate compared(const SweepCell& cell, const SweepCell& baseline) {
  std::vector<double> of_baseline;
  std::vector<double> of_cell;
  for (const SweepRow* const row : cell.rows)
    for (const SweepRow* const other : baseline.rows) {
      if (row->point->repetition != other->point->repetition || row->exit_code != exit_done ||
          other->exit_code != exit_done)
        continue;
      const double one = other->number("seconds_to_target");
      const double mine = row->number("seconds_to_target");
      if (!(one > 0.0 && mine > 0.0)) continue;  // not known, or the run began at the target
      of_baseline.push_back(one);
      of_cell.push_back(mine);
    }
  return estimate_ratio(of_baseline, of_cell);
}

}  // namespace

Estimate SweepCell::figure(const char* key) const {
  std::vector<double> values;
  for (const SweepRow* const row : rows)
    if (const double number = row->number(key); row->exit_code == exit_done && std::isfinite(number))
      values.push_back(number);
  return estimate_mean(values);
}

std::size_t SweepCell::ended_well() const {
  return static_cast<std::size_t>(std::ranges::count(rows, static_cast<int>(exit_done),
                                                     [](const SweepRow* row) { return row->exit_code; }));
}

std::vector<SweepCell> cells_of(const Sweep& sweep, const std::vector<SweepRow>& rows) {
  std::vector<SweepCell> cells;
  for (const SweepRow& row : rows) {
    const bool is_new = cells.empty() || cells.back().point().variant != row.point->variant ||
                        cells.back().point().axes != row.point->axes;
    if (is_new) cells.emplace_back();
    cells.back().rows.push_back(&row);
  }
  if (sweep.baseline.empty()) return cells;
  std::map<decltype(SweepPoint::axes), const SweepCell*> baselines;
  for (const SweepCell& cell : cells)
    if (cell.point().variant == sweep.baseline) baselines[cell.point().axes] = &cell;
  for (SweepCell& cell : cells)
    if (const auto found = baselines.find(cell.point().axes); found != baselines.end())
      cell.speed_up = compared(cell, *found->second);
  return cells;
}

Json record_of(const std::vector<SweepCell>& cells) {
  Json record = Json::array();
  for (const SweepCell& cell : cells) {
    Json axes = Json::object();
    for (const auto& [key, value] : cell.point().axes) axes[key] = value;
    Json statuses = Json::object();
    for (const SweepRow* const row : cell.rows) statuses[row->status] = statuses.value(row->status, 0) + 1;
    Json figures = Json::object();
    for (const char* key : {"iterations", "loss", "accuracy", "consensus_distance", "seconds", "bytes_sent",
                            "seconds_to_target", "bytes_to_target", "rounds_to_target",
                            "bits_per_parameter_and_gradient", "computing_share", "samples_per_second"})
      figures[key] = json_of(cell.figure(key), cell.rows.size());
    figures["speed_up"] = json_of(cell.speed_up, cell.rows.size());
    Json tuned = Json::object();
    for (const auto& [key, value] : cell.point().tuned) tuned[key] = value;
    record.push_back({{"variant", cell.point().variant},
                      {"axes", std::move(axes)},
                      {"tuned", std::move(tuned)},
                      {"statuses", std::move(statuses)},
                      {"figures", std::move(figures)}});
  }
  return record;
}

}  // namespace hearsay

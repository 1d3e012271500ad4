#include "tools/sweep/sweep_unit.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "runtime/settings/run_settings_file.hpp"
#include "tools/terminal/version.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;
using Values = std::vector<std::pair<std::string, std::string>>;

}  // namespace

Json to_json(const SweepPlan& plan) {
  return {{"version", version_text()},
          {"driver", plan.sweep.driver == Sweep::Driver::run ? "zmq" : "simulator"},
          {"output", plan.sweep.output.string()},
          {"repeats", plan.sweep.repeats},
          {"candidates", plan.points == PointsAre::candidates},
          {"save_peers", plan.options.save == SaveModels::peers},
          {"per_peer", plan.options.per_peer},
          {"threads", plan.options.threads ? Json(*plan.options.threads) : Json(nullptr)},
          {"command", plan.options.command},
          {"units", plan.units},
          {"tasks", plan.tasks}};
}

SweepPlan plan_from_json(const Json& plan) {
  if (const std::string version = plan.at("version"); version != version_text())
    throw Misuse("the sweep was handed out by hearsay " + version + ", and this is " +
                 std::string(version_text()) + "; expected the same program on all nodes");
  SweepPlan read;
  read.sweep.driver = plan.at("driver") == "zmq" ? Sweep::Driver::run : Sweep::Driver::simulate;
  read.sweep.output = plan.at("output").get<std::string>();
  read.sweep.repeats = plan.at("repeats");
  read.points = plan.at("candidates") ? PointsAre::candidates : PointsAre::results;
  read.options.save = plan.at("save_peers") ? SaveModels::peers : SaveModels::mean;
  read.options.per_peer = plan.at("per_peer");
  if (!plan.at("threads").is_null()) read.options.threads = plan.at("threads").get<std::size_t>();
  read.options.command = plan.at("command");
  read.units = plan.at("units");
  read.tasks = plan.at("tasks");
  return read;
}

Json unit_to_json(const Sweep& sweep, std::span<const std::size_t> places) {
  Json points = Json::array();
  for (const std::size_t place : places) {
    const SweepPoint& point = sweep.points[place];
    points.push_back({{"variant", point.variant},
                      {"axes", point.axes},
                      {"tuned", point.tuned},
                      {"folder", point.folder.string()},
                      {"run", to_toml(point.run)}});
  }
  return {{"points", std::move(points)}};
}

std::vector<SweepPoint> points_from_json(const Json& unit) {
  std::vector<SweepPoint> points;
  for (const Json& from : unit.at("points")) {
    SweepPoint point;
    point.variant = from.at("variant");
    point.axes = from.at("axes").get<Values>();
    point.tuned = from.at("tuned").get<Values>();
    point.folder = from.at("folder").get<std::string>();
    point.run = parse_run(from.at("run").get<std::string>(), "/", {}, point.folder.string());
    points.push_back(std::move(point));
  }
  return points;
}

Json rows_to_json(const std::vector<SweepRow>& rows, const std::filesystem::path& output) {
  Json list = Json::array();
  for (const SweepRow& row : rows)
    list.push_back({{"folder", row.point->folder.lexically_relative(output).string()},
                    {"settings", row.settings},
                    {"status", row.status},
                    {"exit_code", row.exit_code},
                    {"note", row.note},
                    {"summary", row.summary}});
  return {{"rows", std::move(list)}};
}

SweepRow row_from_json(const Json& rows, const SweepPoint& point, const std::filesystem::path& output) {
  SweepRow row(point);
  const std::string folder = point.folder.lexically_relative(output);
  const auto found =
      std::ranges::find_if(rows.at("rows"), [&](const Json& one) { return one.at("folder") == folder; });
  if (found == rows.at("rows").end())
    throw Misuse("a task of the sweep has left no result of " + point.folder.string());
  row.status = found->at("status");
  row.exit_code = found->at("exit_code");
  row.note = found->at("note");
  row.summary = found->at("summary");
  return row;
}

}  // namespace hearsay

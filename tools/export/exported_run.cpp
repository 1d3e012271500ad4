#include "tools/export/exported_run.hpp"

#include <map>

#include "tools/report/reported_folders.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Returns the path without its root and without "..", so that it leads into any folder that it is appended
/// to.
std::string downward(const fs::path& path) {
  fs::path kept;
  for (const fs::path& part : path.lexically_normal().relative_path())
    if (!part.empty() && part != "." && part != "..") kept /= part;
  return kept.generic_string();
}

/// Returns a place for each folder: its name, or its whole path if two folders have the same name.
std::vector<std::string> places_of(const std::vector<fs::path>& folders) {
  std::map<std::string, int> times;
  for (const fs::path& folder : folders) ++times[name_of(folder)];
  std::vector<std::string> places;
  for (const fs::path& folder : folders)
    places.push_back(times[name_of(folder)] == 1 ? name_of(folder) : downward(fs::absolute(folder)));
  return places;
}

ExportedRun point_of(const fs::path& sweep, const std::string& place, const Json& tried) {
  ExportedRun point{
      .folder = {}, .place = {}, .variant = text_at(tried, "variant"), .axes = {}, .tried = tried, .run = {}};
  const std::string folder = text_at(tried, "folder");
  const fs::path normal = fs::path(folder).lexically_normal();
  if (normal.is_absolute() || (!normal.empty() && *normal.begin() == ".."))
    throw Misuse((sweep / "sweep.json").string() + ": " + folder + " is no folder of this sweep");
  point.folder = (sweep / folder).lexically_normal();
  point.place = place + "/" + downward(folder);
  if (const auto axes = tried.find("axes"); axes != tried.end() && axes->is_object())
    for (const auto& [key, value] : axes->items())
      point.axes.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
  if (is_run_folder(point.folder)) point.run = read_run_folder(point.folder);
  return point;
}

}  // namespace

std::vector<ExportedRun> exported_runs(const std::vector<fs::path>& folders) {
  const ReportedFolders reported = reported_folders(folders);
  std::vector<fs::path> all = reported.runs;
  all.insert(all.end(), reported.sweeps.begin(), reported.sweeps.end());
  const std::vector<std::string> places = places_of(all);

  std::vector<ExportedRun> runs;
  for (std::size_t k = 0; k < all.size(); ++k) {
    if (k < reported.runs.size()) {
      runs.push_back({all[k], places[k], {}, {}, Json::object(), read_run_folder(all[k])});
      continue;
    }
    const Json record = read_record(all[k] / "sweep.json");
    const auto points = record.find("points");
    if (points == record.end() || !points->is_array())
      throw Misuse((all[k] / "sweep.json").string() + ": it has no points");
    for (const Json& tried : *points) {
      if (!tried.is_object()) throw Misuse((all[k] / "sweep.json").string() + ": a point in it is none");
      runs.push_back(point_of(all[k], places[k], tried));
    }
  }
  return runs;
}

}  // namespace hearsay

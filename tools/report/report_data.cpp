#include "tools/report/report_data.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "tools/report/quantity.hpp"
#include "tools/report/reported_folders.hpp"
#include "tools/report/shown_peers.hpp"
#include "tools/report/tuning_phase.hpp"
#include "tools/statistics/estimate.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t most_rates = 32;        // of a group
constexpr std::size_t most_repeats = 10'000;  // of any sweep

/// Returns the index of `value` in the array. Appends it if it is new.
std::size_t placement_from(Json& array, Json value) {
  const auto found = std::ranges::find(array, value);
  const auto place = static_cast<std::size_t>(found - array.begin());
  if (found == array.end()) array.push_back(std::move(value));
  return place;
}

void add_numbers(Json& axis) {
  axis["numbers"] = Json::array();
  for (const Json& value : axis["values"]) {
    const auto size = read_quantity(value.get<std::string>());
    Json number = size ? short_number(size->value) : Json(nullptr);
    if (number.is_null()) {
      axis["numbers"] = nullptr;
      return;
    }
    axis["numbers"].push_back(std::move(number));
  }
}

/// Returns the index of `value` in the array. Appends it if `places`, by its text, does not know it.
std::size_t shared_placement(Json& array, std::unordered_map<std::string, std::size_t>& places,
                             const std::string& text, Json value) {
  const auto [found, is_new] = places.try_emplace(text, array.size());
  if (is_new) array.push_back(std::move(value));
  return found->second;
}

/// Returns "a, b, c, d"; of more folders the first three, and how many more there are.
std::string title_of(const std::vector<fs::path>& folders) {
  constexpr std::size_t most_named = 4;
  const std::size_t named = folders.size() > most_named ? most_named - 1 : folders.size();
  std::string title;
  for (std::size_t k = 0; k < named; ++k) title += (k == 0 ? "" : ", ") + name_of(folders[k]);
  if (named < folders.size()) title += " and " + std::to_string(folders.size() - named) + " more";
  return title;
}

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

/// Returns what happened to the peers of a run, as its summary says. Older summaries say only who was lost.
Json events_in(const Json& summary) {
  Json events = Json::array();
  if (!summary.is_object()) return events;
  if (const auto told = summary.find("events"); told != summary.end() && told->is_array()) {
    for (const Json& event : *told)
      if (event.is_object()) events.push_back(event);
    return events;
  }
  if (const auto dropped = summary.find("dropped"); dropped != summary.end() && dropped->is_array())
    for (const Json& peer : *dropped) events.push_back({{"what", "lost"}, {"peer", peer}});
  return events;
}

Json group_of(const std::string& kind, const std::string& name) {
  return {{"kind", kind},
          {"name", name},
          {"driver", nullptr},
          {"baseline", nullptr},
          {"series", Json::array()},
          {"axes", Json::array()},
          {"points_in_total", nullptr},
          {"points", Json::array()}};
}

}  // namespace

ReportData::ReportData(std::string title, RateOf rate_of)
    : data_({{"title", std::move(title)},
             {"groups", Json::array()},
             {"learned", Json::array()},
             {"consensus", Json::array()},
             {"pictures", Json::array()},
             {"lines", Json::array()},
             {"curves", Json::array()}}),
      rate_of_(std::move(rate_of)) {}

/// Of more series than a page draws at first nobody waits for the gradients.
void ReportData::add_rate(const RunFolder& run, std::size_t series, Json& point) {
  if (!rate_of_ || !run.settings || series >= most_rates) return;
  Json rate = rate_of_(*run.settings);
  if (rate.is_null()) return;
  rate["curves"] = placement_from(data_["curves"], std::move(rate["curves"]));
  point["rate"] = std::move(rate);
}

Json ReportData::point_of(const RunFolder& run, const std::string& folder) {
  Json point = {{"folder", folder}, {"facts", facts_of(run)}};
  point["status"] = point["facts"]["status"];
  const Course course = thinned(run.course);
  const Json learned = learned_columns(course, run.peers());
  point["learned"] = shared_placement(data_["learned"], learned_places_, learned.dump(), learned);
  point["seconds"] = seconds_column(course);
  point["evaluations"] = run.course.size();
  point["defect"] = run.defect;
  point["peers"] = peers_of(run.summary);
  point["events"] = events_in(run.summary);
  point["consensus"] = consensus_maps_.add(run.consensus, data_["consensus"]);
  if (!run.influence.is_null()) point["influence"] = run.influence;
  point["provenance"] =
      run.summary.is_object() ? run.summary.value("provenance", Json(nullptr)) : run.beginning;
  point["picture"] = run.settings ? Json(pictures_.add(*run.settings, data_["pictures"])) : Json(nullptr);
  // A run that has not ended has no summary to say its spectral gap.
  if (run.settings && !point["facts"].contains("spectral_gap"))
    point["facts"]["spectral_gap"] = spectral_gap_of_unfinished(*run.settings);
  Json lines = Json::array();
  for (std::size_t begin = 0; begin < run.run_file.size();) {
    const std::size_t end = std::min(run.run_file.find('\n', begin), run.run_file.size());
    const std::string line = run.run_file.substr(begin, end - begin);
    lines.push_back(shared_placement(data_["lines"], line_places_, line, line));
    begin = end + 1;
  }
  point["run_file"] = std::move(lines);
  return point;
}

/// Keeps the gaps, since a live page asks once a second.
Json ReportData::spectral_gap_of_unfinished(const RunSettings& settings) {
  const std::pair topology{settings.topology, settings.run.seed};
  const auto known = std::ranges::find_if(gaps_, [&](const Gap& gap) {
    return gap.topology == topology && gap.method == settings.algorithm.kind;
  });
  if (known != gaps_.end()) return known->gap;
  gaps_.push_back({topology, settings.algorithm.kind, own_spectral_gap(settings)});
  return gaps_.back().gap;
}

void ReportData::begin_again() {
  for (const char* part : {"groups", "learned", "consensus", "lines", "curves"}) data_[part] = Json::array();
  learned_places_.clear();
  consensus_maps_ = {};
  line_places_.clear();
}

void ReportData::add_run(const RunFolder& run, const std::string& name, const std::string& folder) {
  Json group = group_of("runs", name);
  group["series"].push_back(name);
  group["points"].push_back(point_of(run, folder));
  group["points"].back()["series"] = 0;
  group["points"].back()["at"] = Json::array();
  data_["groups"].push_back(std::move(group));
}

void ReportData::add_runs(const std::vector<fs::path>& folders, const ReadingWatch& watch) {
  Json group = group_of("runs", folders.size() == 1 ? name_of(folders.front()) : "runs");
  std::map<std::string, int> times;
  for (const fs::path& folder : folders) {
    const RunFolder run = read_run_folder(folder);
    Json point = point_of(run, folder.string());
    add_rate(run, group["series"].size(), point);
    std::string name = text_at(point["facts"], "run");
    if (name.empty()) name = name_of(folder);
    ++times[name];
    point["series"] = group["series"].size();
    point["at"] = Json::array();
    group["series"].push_back(name);
    group["points"].push_back(std::move(point));
    if (watch) watch(group["name"], group["points"].size(), folders.size());
  }
  for (std::size_t k = 0; k < folders.size(); ++k)
    if (const std::string name = group["series"][k]; times[name] > 1)
      group["series"][k] = name + " (" + folders[k].string() + ")";
  data_["groups"].push_back(std::move(group));
}

void ReportData::add_sweep(const fs::path& folder, const ReadingWatch& watch) {
  const fs::path file = folder / "sweep.json";
  const Json record = read_record(file);
  const auto points = record.find("points");
  if (points == record.end() || !points->is_array()) throw Misuse(file.string() + ": it has no points");

  Json group = group_of("sweep", name_of(folder));
  for (const char* key : {"driver", "points_in_total", "title", "about", "claims", "not_reproduced"})
    if (const auto found = record.find(key); found != record.end()) group[key] = *found;
  for (const Json& tried : *points) {
    if (!tried.is_object()) throw Misuse(file.string() + ": a point in it is none");
    const std::string place = text_at(tried, "folder");
    const bool is_inside =
        !fs::path(place).is_absolute() && !fs::path(place).lexically_normal().string().starts_with("..");
    const bool has_run = is_inside && is_run_folder(folder / place);
    const std::optional<RunFolder> run =
        has_run ? std::optional(read_run_folder(folder / place)) : std::nullopt;
    Json point =
        run ? point_of(*run, place) : Json{{"folder", place}, {"facts", Json::object()}, {"evaluations", 0}};
    point["status"] = text_at(tried, "status");
    point["note"] = text_at(tried, "note");
    std::string variant = text_at(tried, "variant");
    if (variant.empty()) variant = text_at(point["facts"], "run");
    if (variant.empty()) variant = group["name"];
    point["series"] = placement_from(group["series"], variant);
    const std::size_t series = point["series"];
    const bool is_first =
        std::ranges::none_of(group["points"], [&](const Json& other) { return other["series"] == series; });
    if (run && is_first) add_rate(*run, series, point);
    point["at"] = Json::array();
    const auto axes = tried.find("axes");
    if (axes != tried.end() && axes->is_object())
      for (const auto& [key, value] : axes->items()) {
        const std::size_t index = point["at"].size();
        if (index == group["axes"].size()) group["axes"].push_back({{"key", key}, {"values", Json::array()}});
        if (group["axes"][index]["key"] != key || !value.is_string())
          throw Misuse(file.string() + ": its points have different axes");
        point["at"].push_back(placement_from(group["axes"][index]["values"], value));
      }
    if (const auto seed = tried.find("seed"); seed != tried.end()) point["seed"] = *seed;
    if (point["at"].size() != group["axes"].size())
      throw Misuse(file.string() + ": its points have different axes");
    group["points"].push_back(std::move(point));
    if (watch) watch(group["name"], group["points"].size(), points->size());
  }
  if (const auto repeats = record.find("repeats"); repeats != record.end() && repeats->is_number_unsigned()) {
    group["repeats"] = *repeats;
    for (std::size_t count = 2; count <= std::min(most_repeats, repeats->get<std::size_t>()); ++count)
      group["quantiles"].push_back(student_t(count - 1));
  }
  if (Json tuning = tuning_phase(record, folder); !tuning.is_null()) group["tuning"] = std::move(tuning);
  if (group["points"].empty()) throw Misuse(file.string() + ": no point of this sweep has been tried");
  for (Json& axis : group["axes"]) add_numbers(axis);
  const std::string baseline = text_at(record, "baseline");
  if (const auto found = std::ranges::find(group["series"], Json(baseline)); found != group["series"].end())
    group["baseline"] = found - group["series"].begin();
  data_["groups"].push_back(std::move(group));
}

ReportData report_data(const std::vector<fs::path>& folders, const ReadingWatch& watch, RateOf rate_of) {
  const ReportedFolders reported = reported_folders(folders);
  ReportData data(title_of(folders), std::move(rate_of));
  if (!reported.runs.empty()) data.add_runs(reported.runs, watch);
  for (const fs::path& sweep : reported.sweeps) data.add_sweep(sweep, watch);
  return data;
}

}  // namespace hearsay

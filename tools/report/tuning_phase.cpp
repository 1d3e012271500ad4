#include "tools/report/tuning_phase.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "runtime/record/damaged_record.hpp"
#include "runtime/settings/sweep_tuning.hpp"
#include "tools/report/run_folder.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// The mean of the numbers that are known.
struct Mean {
  std::size_t count = 0;
  double sum = 0.0;

  void add(const Json& number) {
    if (!number.is_number()) return;
    ++count;
    sum += number.get<double>();
  }
  Json value() const { return count == 0 ? Json(nullptr) : short_number(sum / static_cast<double>(count)); }
};

struct Candidate {
  Json values;
  std::size_t tried = 0;
  Mean loss = {};
  Mean seconds = {};

  void add(const Json& point) {
    ++tried;
    const std::string status = point.value("status", "");
    if (status != "done" && status != "target" && status != "plateau") return;
    loss.add(point.value("loss", Json(nullptr)));
    seconds.add(point.value("seconds_to_target", Json(nullptr)));
  }
};

struct Place {
  std::string variant;
  Json at;
  Json chosen = nullptr;
  std::vector<Candidate> candidates = {};

  Candidate& candidate(const Json& values) {
    const auto found = std::ranges::find(candidates, values, &Candidate::values);
    return found != candidates.end() ? *found : candidates.emplace_back(Candidate{values});
  }
};

/// Returns the place of a variant with these values on the axes. Points of one place stand together.
Place& place_of(std::vector<Place>& places, const std::string& variant, const Json& at) {
  const auto found = std::find_if(places.rbegin(), places.rend(), [&](const Place& place) {
    return place.variant == variant && place.at == at;
  });
  return found != places.rend() ? *found : places.emplace_back(Place{variant, at});
}

/// Returns the objects in record["points"].
std::vector<Json> points_of(const Json& record) {
  std::vector<Json> points;
  if (const auto list = record.find("points"); list != record.end() && list->is_array())
    for (const Json& point : *list)
      if (point.is_object() && point.value("axes", Json()).is_object()) points.push_back(point);
  return points;
}

Json record_of_candidates(const fs::path& folder) {
  try {
    return read_record(folder / "sweep.json");
  } catch (const DamagedRecord&) {
    throw;
  } catch (const Misuse&) {  // it was removed, or left behind
    return Json::object();
  }
}

/// Returns the seeds of the candidates, ascending. Of a sweep without repeats, the summaries say them.
Json seeds_of(const std::vector<Json>& candidates, const fs::path& folder) {
  std::vector<std::uint64_t> seeds;
  for (const Json& point : candidates)
    if (point.value("seed", Json()).is_number_unsigned()) seeds.push_back(point["seed"]);
  for (const Json& point : candidates) {
    if (!seeds.empty()) break;
    try {
      const Json summary = read_record(folder / point.value("folder", "") / "summary.json");
      seeds.push_back(summary.at("provenance").at("seed").get<std::uint64_t>());
    } catch (const DamagedRecord&) {
      throw;
    } catch (const Misuse&) {  // this candidate left nothing
    } catch (const Json::exception&) {
    }
  }
  std::ranges::sort(seeds);
  seeds.erase(std::unique(seeds.begin(), seeds.end()), seeds.end());
  return seeds;
}

Json json_of(const Candidate& candidate) {
  return {{"values", candidate.values},         {"tried", candidate.tried},
          {"ended", candidate.loss.count},      {"loss", candidate.loss.value()},
          {"reached", candidate.seconds.count}, {"seconds", candidate.seconds.value()}};
}

}  // namespace

Json tuning_phase(const Json& record, const fs::path& folder) {
  const auto tuned = record.find("tuned");
  if (tuned == record.end() || !tuned->is_object() || tuned->empty()) return nullptr;
  Json phase = {
      {"grid", Json::array()}, {"seeds", Json::array()}, {"axes", Json::array()}, {"places", Json::array()}};
  for (const auto& [key, values] : tuned->items()) {
    TunedAxis axis{key, {}};
    for (const Json& value : values)
      if (value.is_string()) axis.values.push_back(value);
    Json edges = Json::array();
    for (const std::string& value : axis.values) edges.push_back(is_at_the_edge(axis, value));
    phase["grid"].push_back({{"key", key}, {"values", axis.values}, {"edges", std::move(edges)}});
  }

  std::vector<Place> places;
  const auto values_in = [&](const Json& object) {
    Json values = Json::array();
    for (const Json& axis : phase["grid"])
      values.push_back(object.value(axis["key"].get<std::string>(), Json(nullptr)));
    return values;
  };
  for (const Json& point : points_of(record)) {
    if (phase["axes"].empty())
      for (const auto& [key, value] : point["axes"].items()) phase["axes"].push_back(key);
    Json at = Json::array();
    for (const auto& [key, value] : point["axes"].items()) at.push_back(value);
    const Json values = point.value("tuned", Json());
    if (values.is_object()) place_of(places, point.value("variant", ""), at).chosen = values_in(values);
  }
  const fs::path tuning = folder / tuning_folder;
  const std::vector<Json> candidates = points_of(record_of_candidates(tuning));
  for (const Json& point : candidates) {
    Json at = Json::array();
    for (const auto& [key, value] : point["axes"].items())
      if (!tuned->contains(key)) at.push_back(value);
    place_of(places, point.value("variant", ""), at).candidate(values_in(point["axes"])).add(point);
  }
  phase["seeds"] = seeds_of(candidates, tuning);
  for (const Place& place : places) {
    Json tried = Json::array();
    for (const Candidate& candidate : place.candidates) tried.push_back(json_of(candidate));
    phase["places"].push_back({{"variant", place.variant},
                               {"at", place.at},
                               {"chosen", place.chosen},
                               {"candidates", std::move(tried)}});
  }
  return phase;
}

}  // namespace hearsay

#include "tools/report/consensus_map.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "runtime/foundation/digest.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_evaluations = 160;
constexpr std::size_t least_evaluations = 20;
constexpr std::size_t most_numbers = 64 * 160 * 128;

/// Returns the number with four digits: more than a color shows. Null if it is none.
Json four_digits(const Json& value) {
  if (!value.is_number() || !std::isfinite(value.get<double>())) return nullptr;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value.get<double>());
  return std::strtod(text.data(), nullptr);
}

/// Returns the distances that a line has; null if the line is none of consensus.jsonl.
const Json* distances_in(const Json& line) {
  const auto found = line.find("distances");
  return found != line.end() && found->is_array() ? &*found : nullptr;
}

void thin(Json& map, std::size_t most) {
  for (const char* key : {"iteration", "distances"}) map[key] = evenly(map[key].get<Course>(), most);
}

std::size_t numbers_of(const Json& map) { return map["distances"].size() * map["distances"][0].size(); }

}  // namespace

Json consensus_map(const Course& lines) {
  Course usable;
  for (const Json& line : lines)
    if (const Json* distances = distances_in(line); distances && distances->size() > 1)
      if (usable.empty() || distances->size() == usable.front()["distances"].size()) usable.push_back(line);
  if (usable.size() < 2) return nullptr;
  Json map = {{"by", usable.front().value("by", Json("peer"))},
              {"iteration", Json::array()},
              {"distances", Json::array()}};
  bool differ = false;
  for (const Json& line : evenly(usable, most_evaluations)) {
    map["iteration"].push_back(line["iteration"]);
    Json column = Json::array();
    for (const Json& distance : *distances_in(line)) {
      column.push_back(four_digits(distance));
      differ = differ || (column.back().is_number() && column.back() != 0.0);
    }
    map["distances"].push_back(std::move(column));
  }
  return differ ? map : Json(nullptr);
}

Json ConsensusMaps::add(const Course& lines, Json& maps) {
  Json map = consensus_map(lines);
  if (map.is_null()) return nullptr;
  const auto [found, is_new] = places_.try_emplace(hexadecimal(digest(map.dump())), maps.size());
  if (!is_new) return found->second;
  thin(map, most_evaluations_);
  numbers_ += numbers_of(map);
  maps.push_back(std::move(map));
  while (numbers_ > most_numbers && most_evaluations_ > least_evaluations) {
    most_evaluations_ /= 2;
    numbers_ = 0;
    for (Json& earlier : maps) {
      thin(earlier, most_evaluations_);
      numbers_ += numbers_of(earlier);
    }
  }
  return found->second;
}

}  // namespace hearsay

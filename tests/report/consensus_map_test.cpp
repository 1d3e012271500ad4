#include "tools/report/consensus_map.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

namespace hearsay::consensus_map_test {

using Json = nlohmann::ordered_json;

TEST_CASE(
    "report: consensus over time has a column per evaluation, 160 at most, and is left out if all agree") {
  Course lines;
  for (int k = 0; k < 500; ++k)
    lines.push_back({{"iteration", k}, {"by", "peer"}, {"distances", {0.0, 0.123456 * k, nullptr}}});
  const Json map = consensus_map(lines);
  CHECK(map["by"] == "peer");
  REQUIRE(map["iteration"].size() == 160);
  CHECK(map["iteration"].back() == 499);
  CHECK(map["distances"].size() == 160);
  CHECK(map["distances"].back() == Json({0.0, 61.6, nullptr}));
  for (Json& line : lines) line["distances"] = {0.0, 0.0};
  CHECK(consensus_map(lines).is_null());
  for (Json& line : lines) line["distances"] = Json::array({3.0});
  CHECK(consensus_map(lines).is_null());  // a peer alone
  CHECK(consensus_map({}).is_null());
  CHECK(consensus_map({{{"iteration", 1}}, {{"iteration", 2}, {"distances", "far"}}}).is_null());
}

TEST_CASE(
    "report: maps of consensus that are equal stand once, and those of many runs have fewer evaluations") {
  const auto lines_of = [](double run) {
    Course lines;
    for (int k = 0; k < 160; ++k) {
      Json distances = Json::array();
      for (int peer = 0; peer < 128; ++peer) distances.push_back(run + peer + k);
      lines.push_back({{"iteration", k}, {"distances", std::move(distances)}});
    }
    return lines;
  };
  ConsensusMaps collected;
  Json maps = Json::array();
  for (int run = 0; run < 64; ++run) CHECK(collected.add(lines_of(run), maps) == run);
  CHECK(maps[63]["iteration"].size() == 160);
  CHECK(collected.add({}, maps).is_null());
  for (int run = 64; run < 70; ++run) CHECK(collected.add(lines_of(run), maps) == run);
  CHECK(collected.add(lines_of(3), maps) == 3);
  CHECK(collected.add(lines_of(66), maps) == 66);
  REQUIRE(maps.size() == 70);
  for (const Json& map : maps) {
    CHECK(map["iteration"].size() == 80);
    CHECK(map["distances"].size() == 80);
    CHECK(map["iteration"].front() == 0);
    CHECK(map["iteration"].back() == 159);
  }
  CHECK(maps[66]["distances"].back() == lines_of(66).back()["distances"]);
}

}  // namespace hearsay::consensus_map_test

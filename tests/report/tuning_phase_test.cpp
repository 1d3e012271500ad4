#include "tools/report/tuning_phase.hpp"

#include <doctest/doctest.h>

#include "tests/support/data_files.hpp"
#include "tools/report/report_data.hpp"

namespace hearsay::test::tuning_phase_test {

using Json = nlohmann::ordered_json;

TEST_CASE("report: the tuning of a sweep is its grid, its seeds, what was tried and what was chosen") {
  const DataFolder folder;
  std::filesystem::create_directories(folder.path() / "out/tuning");
  const auto point = [](const std::string& axes, const std::string& more) {
    return "{\"variant\":\"a\",\"folder\":\"a\",\"note\":\"\",\"axes\":{" + axes + "}," + more + "}";
  };
  folder.write("out/sweep.json",
               "{\"tuned\":{\"algorithm.step_size\":[\"0.1\",\"0.2\",\"0.4\"]},\"points\":[" +
                   point("\"topology.peers\":\"4\"",
                         "\"status\":\"target\",\"tuned\":{\"algorithm.step_size\":\"0.4\"}") +
                   "]}");
  const auto candidate = [&](const std::string& step, int seed, const std::string& rest) {
    return point("\"topology.peers\":\"4\",\"algorithm.step_size\":\"" + step + "\"",
                 "\"seed\":" + std::to_string(seed) + "," + rest);
  };
  folder.write(
      "out/tuning/sweep.json",
      "{\"points\":[" + candidate("0.2", 8, "\"status\":\"done\",\"loss\":3.0,\"seconds_to_target\":null") +
          "," + candidate("0.2", 9, "\"status\":\"diverged\",\"loss\":1e9,\"seconds_to_target\":null") + "," +
          candidate("0.4", 8, "\"status\":\"target\",\"loss\":1.0,\"seconds_to_target\":2.0") + "," +
          candidate("0.4", 9, "\"status\":\"target\",\"loss\":2.0,\"seconds_to_target\":4.0") + "]}");
  const Json tuning = report_data({folder.path() / "out"}).json()["groups"][0]["tuning"];
  CHECK(tuning["seeds"] == Json{8, 9});
  CHECK(tuning["grid"][0]["edges"] == Json{true, false, true});
  REQUIRE(tuning["places"].size() == 1);
  const Json& place = tuning["places"][0];
  CHECK(place["chosen"] == Json::array({"0.4"}));
  CHECK(place["at"] == Json::array({"4"}));
  REQUIRE(place["candidates"].size() == 2);
  CHECK(place["candidates"][0] == Json{{"values", Json::array({"0.2"})},
                                       {"tried", 2},
                                       {"ended", 1},
                                       {"loss", 3.0},
                                       {"reached", 0},
                                       {"seconds", nullptr}});
  CHECK(place["candidates"][1]["seconds"] == 3.0);
  CHECK(place["candidates"][1]["loss"] == 1.5);
  // The candidates may be gone.
  std::filesystem::remove_all(folder.path() / "out/tuning");
  const Json alone = report_data({folder.path() / "out"}).json()["groups"][0]["tuning"];
  CHECK(alone["places"][0]["candidates"].empty());
  CHECK(alone["places"][0]["chosen"] == Json::array({"0.4"}));
}

}  // namespace hearsay::test::tuning_phase_test

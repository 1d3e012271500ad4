#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/program/quadratic_run.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::hub_program_test {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

TEST_CASE("check: the bytes through the hub's port are those of the run, in the text and in the JSON") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  std::string method = "fed-avg";
  int runs = 0;
  const auto said = [&](const std::string& command, const Words& more) {
    Words words = {
        command, "q.toml", "--set", "algorithm.kind=" + method, "--set", "network.bandwidth=8 Mbit/s"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramEnd end = run_program(folder.path(), words);
    REQUIRE_MESSAGE(end.code == 0, end.complained);
    return end.said;
  };
  const std::vector<Words> topologies = {{},
                                         {"--set", "topology.kind=hub-tree(2)", "--set", "topology.peers=9"},
                                         {"--set", "topology.kind=hub-tree(2)", "--set", "topology.peers=9",
                                          "--set", "topology.participation=0.3"}};
  for (const Words& topology : topologies)
    for (const std::string with : {"fed-avg", "fed-paq", "artemis", "mcm"}) {
      method = with;
      CAPTURE(method);
      CAPTURE(topology.size());
      Words check = topology;
      Words simulate = topology;
      check.push_back("--json");
      simulate.insert(simulate.end(), {"--json", "--output", "out" + std::to_string(++runs)});
      const Json plan = Json::parse(said("check", check));
      const Json summary = Json::parse(said("simulate", simulate));
      for (const std::string way : {"to_workers", "from_workers"}) {
        CAPTURE(way);
        const double bytes = plan["hub_port"]["bytes_" + way];
        CHECK(plan["iterations"].get<double>() * bytes ==
              doctest::Approx(summary["hub_port"]["bytes_" + way].get<double>()));
        CHECK(plan["hub_port"]["seconds_" + way].get<double>() == doctest::Approx(bytes / 1e6));
      }
    }
  method = "fed-avg";
  CHECK(said("check", {}).find("through the hub's port ") != std::string::npos);
  const std::string words = said("simulate", {"--output", "again"});
  CHECK(words.find(", of the hub's model") != std::string::npos);
  CHECK(words.find(" to the workers, busy ") != std::string::npos);
  CHECK(Json::parse(said("check", {"--json", "--set", "algorithm.kind=d-psgd"}))["hub_port"].is_null());
}

}  // namespace hearsay::test::hub_program_test

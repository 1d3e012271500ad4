#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::slowest_link_program_test {

using Json = nlohmann::ordered_json;

namespace {

/// Five peers in a ring; one is slow.
const std::string ring_with_a_slow_peer = R"toml(
run.iterations = 10
model.kind = "quadratic(50)"
topology.peers = 5
algorithm.batch = "full"
network.compute = "1 ms"
[[network.peer]]
id = 2
compute = "100 ms"
)toml";

}  // namespace

TEST_CASE("run, simulate: the slowest link is named at the end and in the summary") {
  const DataFolder folder;
  folder.write("q.toml", ring_with_a_slow_peer);
  for (const char* driver : {"run", "simulate"}) {
    CAPTURE(driver);
    const ProgramEnd end = run_program(folder.path(), {driver, "q.toml", "--output", driver});
    REQUIRE_MESSAGE(end.code == 0, end.complained);
    const Json summary = Json::parse(content_of(folder.path() / driver / "summary.json"));
    const Json& link = summary["slowest_link"];
    REQUIRE(link.is_object());
    CHECK(link["from"] == 2);
    const std::string to = std::to_string(link["to"].get<unsigned>());
    CHECK(contains(end.said, "slowest link        2 -> " + to + ": peer " + to + " waited "));
    for (const Json& peer : summary["per_peer"]) {
      double sum = 0.0;
      for (const Json& wait : peer["waited_for"]) sum += wait["seconds"].get<double>();
      CHECK(sum <= peer["wait_seconds"].get<double>() + 1e-9);
      if (peer["peer"] == link["to"]) CHECK(sum >= link["seconds"].get<double>());
    }
  }
}

TEST_CASE("simulate: where nobody waits there is no slowest link") {
  const DataFolder folder;
  folder.write("q.toml",
               "run.iterations = 5\nmodel.kind = \"quadratic(50)\"\nalgorithm.batch = \"full\"\n"
               "topology = { kind = \"complete\", peers = 1 }\n");
  const ProgramEnd end = run_program(folder.path(), {"simulate", "q.toml", "--output", "out"});
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  CHECK(Json::parse(content_of(folder.path() / "out/summary.json"))["slowest_link"].is_null());
  CHECK_FALSE(contains(end.said, "slowest link"));
}

}  // namespace hearsay::test::slowest_link_program_test

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::asynchronous_program_test {

using Json = nlohmann::ordered_json;

namespace {

const std::string asynchronous_run = R"toml(
[run]
iterations = 20
evaluate_every = 10
[model]
kind = "quadratic(50)"
[topology]
peers = 4
[algorithm]
kind = "ad-psgd"
batch = "full"
[network]
compute = "1 ms"
)toml";

}  // namespace

TEST_CASE(
    "check, list: an asynchronous method is said to be one, and of its bytes both a bound and a guess") {
  const DataFolder folder;
  folder.write("q.toml", asynchronous_run);
  CHECK(run_program(folder.path(), {"check", "q.toml"})
            .said.find("asynchronous: peers up to 20 iterations apart") != std::string::npos);
  const Json plan = Json::parse(run_program(folder.path(), {"check", "q.toml", "--json"}).said);
  CHECK(plan["asynchronous"] == true);
  CHECK(plan["bytes_exact"] == false);
  CHECK(plan["spectral_gap"].is_null());
  // By hand: each of 4 peers asks 20 times, and could be asked by both neighbors each time.
  CHECK(plan["bytes_sent"] == 4 * 20 * 3 * (64 + 4 * 50));
  // Every request has one answer, empty or not.
  CHECK(plan["predicted_bytes_sent"].get<double>() > 80 * (64 + 4 * 50) + 80 * 64);
  CHECK(plan["predicted_bytes_sent"].get<double>() < 160 * (64 + 4 * 50));
  std::size_t asynchronous = 0;
  const Json list = Json::parse(run_program(folder.path(), {"list", "--json"}).said);
  for (const Json& method : list["algorithm.kind"])
    asynchronous += method["asynchronous"].get<bool>() ? 1 : 0;
  CHECK(asynchronous == 1);
}

TEST_CASE("run, simulate: an asynchronous method ends as any other, and counts what was asked and answered") {
  const DataFolder folder;
  folder.write("q.toml", asynchronous_run);
  for (const std::string command : {"run", "simulate"}) {
    CAPTURE(command);
    const ProgramEnd end = run_program(folder.path(), {command, "q.toml", "--json", "--output", command});
    REQUIRE_MESSAGE(end.code == 0, end.complained);
    const Json summary = Json::parse(end.said);
    CHECK(summary["status"] == "done");
    CHECK(summary["spectral_gap"].is_null());
    CHECK(summary["replicas_consistent"].is_null());
    std::uint64_t asked = 0;
    std::uint64_t answered = 0;
    for (const Json& peer : summary["per_peer"]) {
      asked += peer["exchanges_asked"].get<std::uint64_t>();
      answered += peer["exchanges_answered"].get<std::uint64_t>();
    }
    CHECK(asked == answered);
    CHECK(asked > 0);
  }
}

}  // namespace hearsay::test::asynchronous_program_test

#include <doctest/doctest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::advise_program_test {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

namespace {

const std::string four_peers = R"toml(
[run]
name = "mine"
iterations = 100
evaluate_every = 2
target_loss = 1500
[model]
kind = "quadratic(4000)"
[topology]
peers = 4
[algorithm]
kind = "allreduce-sgd"
step_size = 0.1
batch = "full"
[network]
compute = "4 ms"
)toml";

struct Network {
  std::string bandwidth;
  std::string latency;
};
const Network slow = {"1 Mbit/s", "5 ms"};   // 16 kB take 131 ms
const Network fast = {"1 Gbit/s", "30 ms"};  // 16 kB take 131 us

Words on(const Network& network, Words words) {
  words.insert(words.end(), {"--set", "network.bandwidth=" + network.bandwidth, "--set",
                             "network.latency=" + network.latency});
  return words;
}

Json advice_on(const DataFolder& folder, const Network& network) {
  const ProgramEnd end =
      run_program(folder.path(), on(network, {"advise", "mine.toml", "--json", "--quiet", "--overwrite"}));
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  return Json::parse(end.said);
}

/// Returns the arguments that turn the run file into the run of a row of the advice.
Words as_advised(const Json& row) {
  Words words = {"--set", "algorithm.kind=" + row["algorithm"].get<std::string>(),
                 "--set", "algorithm.compressor=" + row["compressor"].get<std::string>(),
                 "--set", "algorithm.step_size=" + row["step_size"].dump(),
                 "--set", "topology.kind=" + row["topology"].get<std::string>(),
                 "--set", "topology.schedule=" + row["schedule"].get<std::string>(),
                 "--set", "topology.weights=" + row["weights"].get<std::string>()};
  for (const auto& [name, value] : row["options"].items())
    words.insert(words.end(), {"--set", "algorithm." + name + "=" + value.get<std::string>()});
  return words;
}

Json summary_of(const DataFolder& folder, const std::string& driver, const Network& network,
                const Json& row) {
  Words words = on(network, {driver, "mine.toml", "--json", "--quiet", "--overwrite"});
  for (const std::string& word : as_advised(row)) words.push_back(word);
  const ProgramEnd end = run_program(folder.path(), words);
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  return Json::parse(end.said);
}

/// Returns the quickest candidate, and then each next one that takes at least half as long again as the one
/// before.
std::vector<Json> well_apart(const Json& advice) {
  std::vector<Json> rows;
  for (const Json& row : advice["ranked"])
    if (rows.empty() || row["seconds"].get<double>() > 1.5 * rows.back()["seconds"].get<double>())
      rows.push_back(row);
  return rows;
}

}  // namespace

TEST_CASE("advise: real processes on a slow and on a fast network come in the order that it predicts") {
  const DataFolder folder;
  folder.write("mine.toml", four_peers);
  for (const Network& network : {slow, fast}) {
    CAPTURE(network.bandwidth);
    const std::vector<Json> rows = well_apart(advice_on(folder, network));
    REQUIRE(rows.size() >= 3);
    double before = 0.0;
    for (const Json& row : rows) {
      CAPTURE(row.dump());
      const Json real = summary_of(folder, "run", network, row);
      CHECK(real["virtual"] == false);
      REQUIRE(real["seconds_to_target"].is_number());
      CHECK(real["rounds_to_target"].is_number());
      CHECK(real["seconds_to_target"].get<double>() > before);
      before = real["seconds_to_target"];
      CHECK(real["bytes_to_target"] == row["bytes_per_peer"]);
    }
  }
}

TEST_CASE("advise: what it predicts is what simulate says of the same run, to the last digit") {
  const DataFolder folder;
  folder.write("mine.toml", four_peers);
  for (const Network& network : {slow, fast}) {
    const Json advice = advice_on(folder, network);
    for (const Json& row : advice["ranked"]) {
      CAPTURE(row.dump());
      const Json again = summary_of(folder, "simulate", network, row);
      CHECK(again["seconds_to_target"] == row["seconds"]);
      CHECK(again["bytes_to_target"] == row["bytes_per_peer"]);
    }
    // The run file of the winner runs as it is.
    const ProgramEnd end =
        run_program(folder.path(), {"simulate", "advised.toml", "--json", "--quiet", "--overwrite"});
    REQUIRE_MESSAGE(end.code == 0, end.complained);
    const Json winner = Json::parse(end.said);
    CHECK(winner["run"] == "mine-advised");
    CHECK(winner["status"] == "target");
    CHECK(winner["seconds_to_target"] == advice["ranked"][0]["seconds"]);
  }
  const std::string file = content_of(folder.path() / "advised.toml");
  CHECK(file.starts_with("# Written by `hearsay advise mine.toml --set 'network.bandwidth=1 Gbit/s'"));
}

TEST_CASE("advise: a target beyond the iterations of the user's run is trained to, not guessed") {
  const DataFolder folder;
  folder.write("mine.toml", four_peers);
  // The run by itself ends above the target, which it reaches later.
  const ProgramEnd end = run_program(
      folder.path(), {"advise", "mine.toml", "--json", "--overwrite", "--set", "run.iterations=10"});
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  const Json advice = Json::parse(end.said);
  CHECK(advice["yours"]["fate"] == "reached");
  CHECK(advice["yours"]["iterations"] > 10);
  CHECK(advice["ranked"][0]["fate"] == "reached");
  CHECK(advice["ranked"][0]["times_as_fast"].is_number());
  const ProgramEnd winner =
      run_program(folder.path(), {"simulate", "advised.toml", "--json", "--quiet", "--overwrite"});
  REQUIRE_MESSAGE(winner.code == 0, winner.complained);
  CHECK(Json::parse(winner.said)["status"] == "target");
}

TEST_CASE("advise: short messages win on a slow network, few and quick rounds on a fast one") {
  const DataFolder folder;
  folder.write("mine.toml", four_peers);
  const Json on_slow = advice_on(folder, {"200 kbit/s", "1 ms"});
  CHECK(on_slow["ranked"][0]["compressor"] != "none");
  const Json on_fast = advice_on(folder, fast);
  CHECK(on_fast["ranked"][0]["compressor"] == "none");
  for (const Json& row : on_fast["ranked"])
    CHECK(on_fast["ranked"][0]["iterations"].get<int>() <= row["iterations"].get<int>());
  CHECK(on_slow["ranked"][0]["bytes_per_peer"].get<double>() <
        on_fast["ranked"][0]["bytes_per_peer"].get<double>());
}

TEST_CASE("advise: a table of five, yours, and who was left out, nobody's file is replaced") {
  const DataFolder folder;
  folder.write("mine.toml", four_peers);
  const Words words = {"advise", "mine.toml", "--set", "network.bandwidth=10 Mbit/s"};
  const ProgramEnd end = run_program(folder.path(), words);
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  for (const std::string part : {"target loss", "spectral gap", "times as fast", "\n1  ", "\n5  ", "yours",
                                 "how sure", "left out", "hearsay run advised.toml"})
    CHECK_MESSAGE(end.said.find(part) != std::string::npos, part);
  CHECK(end.said.find("\n6  ") == std::string::npos);

  const auto refused = [&](Words more, const std::string& sentence) {
    Words all = words;
    all.insert(all.end(), more.begin(), more.end());
    const ProgramEnd again = run_program(folder.path(), all);
    CHECK(again.code == 2);
    CHECK_MESSAGE(again.complained.find(sentence) != std::string::npos, again.complained);
  };
  refused({}, "--output = advised.toml: it is there; --overwrite replaces it");
  refused({"--overwrite", "--output", "mine.toml"}, "it is there, and no advice");
  CHECK(content_of(folder.path() / "mine.toml") == four_peers);
  refused({"--overwrite", "--set", "run.target_loss=1", "--set", "run.iterations=20"},
          "run.target_loss = 1: none of ");
  refused({"--overwrite", "--set", "run.target_loss=1e9"}, "before the first step; expected a lower target");
  refused({"--output", "absent/advised.toml"}, "there is no folder absent");
  refused({"--overwrite", "--set", "topology.peers=1"}, "a single peer talks to nobody");
  CHECK(run_program(folder.path(), {"advise", "absent.toml"}).code == 2);
}

TEST_CASE("advise: the user's own method may be asynchronous, it is compared with, and not advised") {
  const DataFolder folder;
  folder.write("mine.toml", four_peers);
  const ProgramEnd end =
      run_program(folder.path(), {"advise", "mine.toml", "--json", "--quiet", "--set",
                                  "algorithm.kind=ad-psgd", "--set", "network.bandwidth=1 Mbit/s"});
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  const Json advice = Json::parse(end.said);
  CHECK(advice["yours"]["algorithm"] == "ad-psgd");
  CHECK(advice["yours"]["fate"] == "reached");
  CHECK(advice["ranked"][0]["algorithm"] != "ad-psgd");
}

TEST_CASE("advise --plan: --json says what the tables say, and the run file of the plan runs") {
  const DataFolder folder;
  folder.write("mine.toml", four_peers);
  const Words hub = {"--set", "topology.hub=dedicated", "--set", "topology.kind=star",
                     "--set", "run.target_loss=3000"};
  Words words = on(slow, {"advise", "mine.toml", "--plan", "gen-qsgd", "--json", "--quiet"});
  words.insert(words.end(), hub.begin(), hub.end());
  const ProgramEnd end = run_program(folder.path(), words);
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  const Json plan = Json::parse(end.said);
  CHECK(plan["planned"]["local_steps"].size() == 3);  // the hub without data takes none
  CHECK(plan["planned"]["rounds"] > 0);
  CHECK(plan["planned"]["bound"] <= plan["wanted"]);
  CHECK(plan["simulated"]["status"] == "target");
  CHECK(plan["written"] == "advised.toml");
  const ProgramEnd run =
      run_program(folder.path(), {"simulate", "advised.toml", "--json", "--quiet", "--output", "out"});
  REQUIRE_MESSAGE(run.code == 0, run.complained);
  CHECK(Json::parse(run.said)["loss"] == plan["simulated"]["loss"]);
}

TEST_CASE("advise: Ctrl-C ends it with the best so far, and no run file") {
  const DataFolder folder;
  folder.write("mine.toml",
               "[run]\ntarget_loss = 0.5\niterations = 100000\n");  // the built-in example, for long
  Program program(folder.path(), {"advise", "mine.toml"});
  REQUIRE(program.wait_until([&] { return !program.complained().empty(); }));
  program.signal_group(SIGINT);
  CHECK(program.wait() == 130);
  CHECK(program.said().find("interrupted: the best so far") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "advised.toml"));
}

}  // namespace hearsay::test::advise_program_test

#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/program/kept_run.hpp"
#include "tests/program/printed_record.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::influence_program_test {

namespace {

const std::string kept = kept_run("0.002");

}  // namespace

TEST_CASE("influence: tables, records and files agree, and influences come to what the loss fell by") {
  const DataFolder folder;
  folder.write("k.toml", kept);
  REQUIRE(run_program(folder.path(), {"simulate", "k.toml", "--output", "out"}).code == 0);
  const ProgramEnd end =
      run_program(folder.path(), {"influence", "out", "--rows", "3,0-1", "--top", "4", "--json"});
  const auto record = record_of(end);
  auto written = nlohmann::json::parse(content_of(folder.path() / "out/influence.json"));
  written.erase("crc32");
  CHECK(record == written);
  CHECK(record["kept_iterations"] == 7);
  CHECK(record["training_samples"] == 256);
  const double fell = double(record["loss_before"]) - double(record["loss_after"]);
  CHECK(double(record["total"]) == doctest::Approx(fell).epsilon(0.05));
  REQUIRE(record["tests"].size() == 3);
  CHECK(record["tests"][0]["test_sample"] == 3);
  CHECK(record["tests"][0]["proponents"].size() == 4);
  CHECK(record["tests"][0]["proponents"][0]["influence"] >= record["tests"][0]["proponents"][1]["influence"]);
  CHECK(record["tests"][0]["opponents"][0]["influence"] <= record["tests"][0]["opponents"][1]["influence"]);
  double of_peers = 0.0;
  for (const auto& peer : record["peers"]) of_peers += double(peer["on_test"]);
  CHECK(of_peers == doctest::Approx(double(record["total"])));
  const std::string samples = content_of(folder.path() / "out/influence-samples.csv");
  CHECK(samples.starts_with("sample,peer,label,on_itself,on_test,on_test_3,on_test_0,on_test_1\n"));
  CHECK(std::ranges::count(samples, '\n') == 257);
  CHECK(std::ranges::count(content_of(folder.path() / "out/influence-peers.csv"), '\n') == 5);

  const ProgramEnd by_peer = run_program(folder.path(), {"influence", "out", "--by", "peer"});
  REQUIRE(by_peer.code == 0);
  CHECK(contains(by_peer.said, "on the others' data"));
  const ProgramEnd by_link = run_program(folder.path(), {"influence", "out", "--by", "link"});
  REQUIRE(by_link.code == 0);
  CHECK(contains(by_link.said, "what is in the model of each peer"));
  const auto linked = nlohmann::json::parse(content_of(folder.path() / "out/influence.json"));
  CHECK(linked["links"].size() ==
        std::ranges::count(content_of(folder.path() / "out/influence-links.csv"), '\n') - 1);
  CHECK(linked["total"] == record["total"]);
  const ProgramEnd by_sample = run_program(folder.path(), {"influence", "out"});
  CHECK(contains(by_sample.said, "the most influence on itself"));
  // A run's folder with influences is still one that may be overwritten.
  CHECK(run_program(folder.path(), {"simulate", "k.toml", "--output", "out", "--overwrite"}).code == 0);
}

TEST_CASE("influence: at peers' own models, with a hub, and with test samples of another file") {
  const DataFolder folder;
  folder.write("k.toml", kept);
  folder.write("more.csv", "1,0,0,0,0,0,0,0,0,0,0,2\n0,1,0,0,0,0,0,0,0,0,0,1\n");
  folder.write("train.csv", [] {
    std::string text;
    for (int i = 0; i < 60; ++i)
      text += std::to_string(i % 7) + "," + std::to_string(i % 5) + "," + std::to_string(i % 3) + "\n";
    return text;
  }());
  folder.write("test.csv", "3,1,0\n1,4,2\n");
  const auto run = [&](const std::vector<std::string>& set) {
    std::vector<std::string> words = {"simulate", "k.toml", "--output", "out", "--overwrite"};
    for (const std::string& assignment : set) {
      words.push_back("--set");
      words.push_back(assignment);
    }
    const ProgramEnd end = run_program(folder.path(), words);
    REQUIRE_MESSAGE(end.code == 0, end.complained);
  };
  run({"run.keep_models=every 10, peers"});
  CHECK(record_of(run_program(folder.path(), {"influence", "out", "--json"}))["models_of"] == "peers");
  run({"algorithm.kind=artemis", "topology.kind=star", "topology.hub=dedicated"});
  const auto of_hub = record_of(run_program(folder.path(), {"influence", "out", "--json"}));
  CHECK(of_hub["peers"][0]["samples"] == 0);
  CHECK(double(of_hub["total"]) ==
        doctest::Approx(double(of_hub["loss_before"]) - double(of_hub["loss_after"])).epsilon(0.05));
  run({"data.source=csv:train.csv", "algorithm.step_size=0.02"});
  const auto elsewhere =
      record_of(run_program(folder.path(), {"influence", "out", "--test", "csv:test.csv", "--json"}));
  CHECK(elsewhere["test_samples"] == 2);
}

TEST_CASE("influence: the ideal ones of a run of one sample an iteration") {
  const DataFolder folder;
  folder.write("k.toml", kept);
  const auto simulated = [&](const std::string& batch) {
    const ProgramEnd end = run_program(
        folder.path(), {"simulate", "k.toml", "--output", "out", "--overwrite", "--set", "topology.peers=1",
                        "--set", "topology.kind=complete", "--set", "run.evaluate_every=1", "--set",
                        "run.keep_models=every 1", "--set", "algorithm.kind=d-psgd", "--set",
                        "algorithm.compressor=none", "--set", "algorithm.batch=" + batch});
    REQUIRE_MESSAGE(end.code == 0, end.complained);
  };
  simulated("1");
  const auto record = record_of(run_program(folder.path(), {"influence", "out", "--ideal", "--json"}));
  CHECK(double(record["total"]) ==
        doctest::Approx(double(record["loss_before"]) - double(record["loss_after"])).epsilon(1e-9));
  simulated("2");
  const ProgramEnd refused = run_program(folder.path(), {"influence", "out", "--ideal"});
  CHECK(refused.code == 2);
  CHECK(contains(refused.complained, "--ideal: it needs a run with algorithm.batch = 1"));
}

TEST_CASE("influence: a folder without kept models, and what has no samples, are refused in a sentence") {
  const DataFolder folder;
  folder.write("k.toml", kept);
  const auto complaint = [&](const std::vector<std::string>& words) {
    const ProgramEnd end = run_program(folder.path(), words);
    CHECK(end.code == 2);
    return end.complained;
  };
  CHECK(contains(complaint({"influence", "nowhere"}), "is no output of a run"));
  REQUIRE(run_program(folder.path(),
                      {"simulate", "k.toml", "--output", "never", "--set", "run.keep_models=never"})
              .code == 0);
  CHECK(contains(complaint({"influence", "never"}), "expected the output of a run with run.keep_models"));
  REQUIRE(run_program(folder.path(), {"simulate", "k.toml", "--output", "out"}).code == 0);
  CHECK(contains(complaint({"influence", "out", "--rows", "9999"}), "expected numbers from 0 to"));
  CHECK(contains(complaint({"influence", "out", "--project", "0"}), "--project = 0: expected at least 1"));
  REQUIRE(run_program(folder.path(),
                      {"simulate", "k.toml", "--output", "quadratic", "--set", "model.kind=quadratic(5)"})
              .code == 0);
  CHECK(contains(complaint({"influence", "quadratic"}), "it has no samples"));
}

}  // namespace hearsay::test::influence_program_test

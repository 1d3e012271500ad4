#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/program/quadratic_run.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"

using namespace hearsay;
using namespace hearsay::test;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

namespace {

Json json_of(const std::string& text) { return Json::parse(text); }

}  // namespace

TEST_CASE("sweep: a row and a folder for every point; one that fails is a row, too") {
  const TemporaryFolder folder;
  folder.write("s.toml", quadratic_run + R"toml(
[sweep]
driver = "simulate"
baseline = "plain"
"topology.peers" = [4, 8]
[[sweep.variant]]
name = "plain"
algorithm.kind = "d-psgd"
[[sweep.variant]]
name = "too coarse"
algorithm.kind = "dcd-psgd"
algorithm.compressor = "dither(l2, bits=2, bucket=50)"
)toml");
  const ProgramEnd end =
      run_program(folder.path(), {"sweep", "s.toml", "--output", "out", "--set", "run.target_loss=1e9"});
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  const Json record = json_of(content_of(folder.path() / "out/sweep.json"));
  REQUIRE(record["points"].size() == 4);
  CHECK(record["baseline"] == "plain");
  for (const Json& point : record["points"]) {
    const bool plain = point["variant"] == "plain";
    CHECK(point["status"] == (plain ? "target" : "refused"));
    const auto summary = folder.path() / "out" / point["folder"].get<std::string>() / "summary.json";
    CHECK(std::filesystem::exists(summary) == plain);
    CHECK((point["note"].get<std::string>().find("allow_unsound") != std::string::npos) == !plain);
  }
  CHECK(end.said.find("too coarse") != std::string::npos);
}

TEST_CASE(
    "sweep: in virtual time a run is trained once for all networks, and each point is what simulate says of "
    "it") {
  const TemporaryFolder folder;
  folder.write("s.toml", quadratic_run + R"toml(
[sweep]
driver = "simulate"
"network.bandwidth" = ["1 Mbit/s", "100 Mbit/s"]
"network.latency" = ["1 ms", "20 ms"]
[[sweep.variant]]
name = "dcd"
algorithm.kind = "dcd-psgd"
[[sweep.variant]]
name = "all-reduce"
algorithm.kind = "allreduce-sgd"
)toml");
  const Words sweep = {"sweep", "s.toml", "--output", "out", "--set", "network.compute=2 ms"};
  const ProgramEnd end = run_program(folder.path(), sweep);
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  const Json record = json_of(content_of(folder.path() / "out/sweep.json"));
  REQUIRE(record["points"].size() == 8);
  for (const Json& point : record["points"]) {
    CAPTURE(point["folder"].get<std::string>());
    const auto place = folder.path() / "out" / point["folder"].get<std::string>();
    std::filesystem::remove_all(folder.path() / "alone");
    REQUIRE(run_program(folder.path(),
                        {"simulate", (place / "run.toml").string(), "--quiet", "--output", "alone"})
                .code == 0);
    CHECK(content_of(place / "metrics.jsonl") == content_of(folder.path() / "alone/metrics.jsonl"));
    CHECK(content_of(place / "model.npy") == content_of(folder.path() / "alone/model.npy"));
    Json here = json_of(content_of(place / "summary.json"));
    Json alone = json_of(content_of(folder.path() / "alone/summary.json"));
    for (Json* summary : {&here, &alone}) {
      summary->erase("peak_memory_bytes");
      for (Json& peer : (*summary)["per_peer"]) peer.erase("peak_memory_bytes");
    }
    CHECK(here == alone);
  }
  CHECK(record["points"][0]["seconds"] != record["points"][1]["seconds"]);
}

TEST_CASE("sweep: networks change no model, and of those that are equal one is on the disk") {
  const TemporaryFolder folder;
  folder.write("s.toml", quadratic_run + R"toml(
[sweep]
driver = "simulate"
"network.latency" = ["1 ms", "2 ms", "3 ms", "4 ms"]
)toml");
  const ProgramEnd end = run_program(folder.path(), {"sweep", "s.toml", "--output", "out"});
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  const auto model = [&](const char* latency) { return folder.path() / "out" / latency / "model.npy"; };
  for (const char* latency : {"2-ms", "3-ms", "4-ms"}) {
    CHECK(std::filesystem::hard_link_count(model(latency)) == 3);
    CHECK(content_of(model(latency)) == content_of(model("1-ms")));
  }
}

TEST_CASE("sweep: --resume keeps the points that are finished, unless their settings are others now") {
  const TemporaryFolder folder;
  folder.write("s.toml", quadratic_run + "[sweep]\ndriver = \"simulate\"\n\"run.seed\" = [1, 2, 3]\n");
  const auto run = [&](Words more) {
    Words words = {"sweep", "s.toml", "--output", "out"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramEnd end = run_program(folder.path(), words);
    CHECK_MESSAGE(end.code == 0, end.complained);
    return end.complained;
  };
  run({});
  const Json first = json_of(content_of(folder.path() / "out/sweep.json"));
  std::filesystem::remove_all(folder.path() / "out" / first["points"][1]["folder"].get<std::string>());
  CHECK(run({"--resume"}).find("2 points of 3 finished before, and kept") != std::string::npos);
  CHECK(json_of(content_of(folder.path() / "out/sweep.json")) == first);
  // An edited record and a moved folder lose no results.
  Json strange = first;
  strange["points"][0]["note"] = 5;
  folder.write("out/sweep.json", strange.dump());
  std::filesystem::rename(folder.path() / "out", folder.path() / "moved");
  const ProgramEnd moved = run_program(folder.path(), {"sweep", "s.toml", "--output", "moved", "--resume"});
  CHECK_MESSAGE(moved.code == 0, moved.complained);
  CHECK(moved.complained.find("3 points of 3 finished before, and kept") != std::string::npos);
  std::filesystem::rename(folder.path() / "moved", folder.path() / "out");
  CHECK(run({"--resume", "--set", "run.iterations=15"}).find("kept") == std::string::npos);
  CHECK(json_of(content_of(folder.path() / "out/sweep.json"))["points"][0]["iterations"] == 15);
  CHECK(run_program(folder.path(), {"sweep", "s.toml", "--output", "out", "--resume", "--overwrite"}).code ==
        2);
}

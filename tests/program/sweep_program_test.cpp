#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/program/quadratic_run.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::sweep_program_test {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

namespace {

Json json_of(const std::string& text) { return Json::parse(text); }

}  // namespace

TEST_CASE("sweep: a row and a folder for every point, one that fails is a row, too") {
  const DataFolder folder;
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
  const DataFolder folder;
  folder.write("s.toml", quadratic_run + R"toml(
[sweep]
driver = "simulate"
"network.bandwidth" = ["100 kbit/s", "100 Mbit/s"]
"network.latency" = ["1 us", "20 ms"]
[[sweep.variant]]
name = "dcd"
algorithm.kind = "dcd-psgd"
[[sweep.variant]]
name = "all-reduce"
algorithm.kind = "allreduce-sgd"
)toml");
  const Words sweep = {"sweep",    "s.toml",
                       "--output", "out",
                       "--set",    "network.compute=2 ms",
                       "--set",    "model.kind=quadratic(500)"};
  const ProgramEnd end = run_program(folder.path(), sweep);
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  const Json record = json_of(content_of(folder.path() / "out/sweep.json"));
  REQUIRE(record["points"].size() == 8);
  std::map<std::string, std::set<std::string>> models;  // digests, by method
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
      summary->erase("provenance");  // when, and with which command
      summary->erase("crc32");       // of these, too
      for (Json& peer : (*summary)["per_peer"]) peer.erase("peak_memory_bytes");
    }
    CHECK(here == alone);
    models[here["algorithm"]].insert(here["model_digest"].dump());
  }
  CHECK(models["dcd-psgd"].size() == 1);
  CHECK(models["allreduce-sgd"].size() == 2);  // by the ring and by doubling, which round differently
  CHECK(record["points"][0]["seconds"] != record["points"][1]["seconds"]);
}

TEST_CASE("sweep: networks change no model, and of those that are equal one is on the disk") {
  const DataFolder folder;
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

TEST_CASE(
    "sweep: repeats have a folder, a seed and a row of the record each, and a cell has their statistics") {
  const DataFolder folder;
  folder.write("s.toml", quadratic_run + R"toml(
[sweep]
driver = "simulate"
baseline = "plain"
repeat = 3
"network.latency" = ["1 ms", "20 ms"]
[[sweep.variant]]
name = "plain"
algorithm.kind = "d-psgd"
[[sweep.variant]]
name = "8 bit"
algorithm.kind = "dcd-psgd"
)toml");
  const ProgramEnd end =
      run_program(folder.path(), {"sweep", "s.toml", "--output", "out", "--set", "run.target_loss=22"});
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  const Json record = json_of(content_of(folder.path() / "out/sweep.json"));
  CHECK(record["repeats"] == 3);
  REQUIRE(record["points"].size() == 2 * 2 * 3);
  REQUIRE(record["cells"].size() == 2 * 2);
  for (std::size_t cell = 0; cell < 4; ++cell) {
    double sum = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      const Json& point = record["points"][3 * cell + k];
      CHECK(point["seed"] == 1 + k);
      CHECK(point["folder"].get<std::string>().ends_with("/seed-" + std::to_string(1 + k)));
      CHECK(point["axes"].size() == 1);
      sum += point["loss"].get<double>();
    }
    const Json& loss = record["cells"][cell]["figures"]["loss"];
    CHECK(loss["mean"].get<double>() == doctest::Approx(sum / 3.0));
    CHECK(loss["count"] == 3);
    CHECK(loss["low"] < loss["high"]);
  }
  CHECK(end.said.find("Means over 3 seeds") != std::string::npos);
  // A repetition can be repeated alone, from its own run file, with the same bits.
  const auto place = folder.path() / "out" / record["points"][11]["folder"].get<std::string>();
  REQUIRE(run_program(folder.path(), {"simulate", (place / "run.toml").string(), "--output", "alone"}).code ==
          0);
  CHECK(content_of(place / "model.npy") == content_of(folder.path() / "alone/model.npy"));
  CHECK(content_of(place / "metrics.jsonl") == content_of(folder.path() / "alone/metrics.jsonl"));
  CHECK(content_of(place / "model.npy") != content_of(place.parent_path() / "seed-1/model.npy"));
  // Only what differs in more than the network is trained: its models are one file.
  CHECK(std::filesystem::hard_link_count(folder.path() / "out/8-bit/20-ms/seed-3/model.npy") == 1);
}

TEST_CASE("sweep: --only runs the variants that it names, and with --resume a sweep is filled bit by bit") {
  const DataFolder folder;
  folder.write("s.toml", quadratic_run + R"toml(
[sweep]
driver = "simulate"
baseline = "plain"
repeat = 2
[[sweep.variant]]
name = "plain"
algorithm.kind = "d-psgd"
[[sweep.variant]]
name = "8 bit"
algorithm.kind = "dcd-psgd"
[[sweep.variant]]
name = "refused"
topology.kind = "torus(3x3)"
)toml");
  const auto sweep = [&](const Words& more) {
    Words words = {"sweep", "s.toml", "--set", "run.target_loss=22", "--output", "out"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(folder.path(), words);
  };
  const auto points = [&] { return json_of(content_of(folder.path() / "out/sweep.json"))["points"]; };
  const ProgramEnd unknown = sweep({"--only", "8 bits"});
  CHECK(unknown.code == 2);
  CHECK(unknown.complained.find("--only = \"8 bits\": no variant of the sweep, did you mean \"8 bit\"?") !=
        std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "out"));

  const ProgramEnd first = sweep({"--only", "8 bit"});
  CHECK_MESSAGE(first.code == 0, first.complained);
  CHECK(points().size() == 2);
  CHECK(
      first.complained.find("no speed-up: the baseline has not been run; --only 'plain' --resume adds it") !=
      std::string::npos);
  CHECK(sweep({"--only", "refused", "--resume"}).code == 0);
  REQUIRE(points().size() == 4);
  const ProgramEnd last = sweep({"--only", "plain", "--resume"});
  CHECK_MESSAGE(last.code == 0, last.complained);
  CHECK(last.complained.find("no speed-up") == std::string::npos);
  const Json all = points();
  REQUIRE(all.size() == 6);  // also those that were refused before, and are not tried now
  CHECK(all[0]["variant"] == "plain");
  CHECK(all[5]["status"] == "refused");
  CHECK(all[2]["speed_up"].is_number());
}

TEST_CASE(
    "sweep: tuning gives every variant the best of its grid, and reports other seeds than it chose with") {
  const DataFolder folder;
  folder.write("s.toml", quadratic_run + R"toml(
[sweep]
driver = "simulate"
repeat = 2
tune = ["algorithm.step_size"]
algorithm.step_size = [0.001, 0.2, 0.01]
[[sweep.variant]]
name = "plain"
algorithm.kind = "d-psgd"
[[sweep.variant]]
name = "8 bit"
algorithm.kind = "dcd-psgd"
)toml");
  const ProgramEnd end = run_program(folder.path(), {"sweep", "s.toml", "--output", "out"});
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  const Json record = json_of(content_of(folder.path() / "out/sweep.json"));
  REQUIRE(record["points"].size() == 4);
  for (const Json& point : record["points"]) {
    CHECK(point["tuned"]["algorithm.step_size"] == "0.2");
    CHECK(point["axes"].empty());
    const std::string run =
        content_of(folder.path() / "out" / point["folder"].get<std::string>() / "run.toml");
    CHECK(run.find("step_size = 0.2\n") != std::string::npos);
  }
  CHECK(end.said.find("0.2 (edge)") != std::string::npos);
  CHECK(end.said.find("algorithm.step_size = 0.2 is at the edge of its grid: widen it") != std::string::npos);
  const Json tuning = json_of(content_of(folder.path() / "out/tuning/sweep.json"));
  REQUIRE(tuning["points"].size() == 2 * 3 * 2);
  for (const Json& point : tuning["points"]) CHECK(point["seed"] > 1'000'000);
  // Nothing is tried again, and what is there is replaced if that is asked for.
  const ProgramEnd again = run_program(folder.path(), {"sweep", "s.toml", "--output", "out", "--resume"});
  CHECK(again.code == 0);
  CHECK(again.complained.find("12 points of 12 finished before") != std::string::npos);
  CHECK(again.complained.find("4 points of 4 finished before") != std::string::npos);
  CHECK(json_of(content_of(folder.path() / "out/sweep.json")) == record);
  CHECK(run_program(folder.path(), {"sweep", "s.toml", "--output", "out"}).code == 2);
  CHECK(run_program(folder.path(), {"sweep", "s.toml", "--output", "out", "--overwrite"}).code == 0);
  CHECK(json_of(content_of(folder.path() / "out/sweep.json")) == record);
}

TEST_CASE("sweep: a candidate that diverges is tried on one network, and counts as diverged on all") {
  const DataFolder folder;
  folder.write("s.toml", quadratic_run + R"toml(
[sweep]
driver = "simulate"
tune = ["algorithm.step_size"]
algorithm.step_size = [50.0, 0.2]
"network.latency" = ["1 ms", "2 ms", "3 ms"]
[[sweep.variant]]
name = "plain"
algorithm.kind = "d-psgd"
)toml");
  const ProgramEnd end =
      run_program(folder.path(), {"sweep", "s.toml", "--output", "out", "--set", "run.iterations=400"});
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  int diverged = 0, folders = 0;
  const Json tuning = json_of(content_of(folder.path() / "out/tuning/sweep.json"));
  for (const Json& point : tuning["points"]) {
    if (point["status"] != "diverged") continue;
    ++diverged;
    folders += std::filesystem::exists(folder.path() / "out/tuning" / point["folder"].get<std::string>());
  }
  CHECK(diverged == 3);
  CHECK(folders == 1);
  const ProgramEnd again = run_program(
      folder.path(), {"sweep", "s.toml", "--output", "out", "--set", "run.iterations=400", "--resume"});
  CHECK(again.complained.find("6 points of 6 finished before") != std::string::npos);
}

TEST_CASE("sweep: a file that describes one run is told what a sweep needs") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  const ProgramEnd end = run_program(folder.path(), {"sweep", "q.toml", "--output", "out"});
  CHECK(end.code == 2);
  CHECK(end.complained.find("q.toml: it describes one run; a sweep needs [[sweep.variant]] tables") !=
        std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "out"));
  CHECK(run_program(folder.path(), {"sweep", "q.toml", "--output", "out", "--set", "sweep.driver=simulate",
                                    "--set", "sweep.run.iterations=[5, 10]"})
            .code == 0);
}

TEST_CASE("sweep: refused points are counted, and if all are refused the exit code is 2") {
  const DataFolder folder;
  folder.write("s.toml", quadratic_run + "[sweep]\ndriver = \"simulate\"\nrepeat = 2\n");
  const auto sweep = [&](const std::string& kinds) {
    return run_program(folder.path(), {"sweep", "s.toml", "--overwrite", "--output", "out", "--set",
                                       "sweep.topology.kind=" + kinds});
  };
  const ProgramEnd some = sweep("[\"ring\", \"torus(3x3)\"]");
  CHECK(some.code == 0);
  CHECK(some.complained.find("hearsay: 2 of 4 points refused, see the notes below the table\n") !=
        std::string::npos);
  std::filesystem::remove_all(folder.path() / "out");
  const ProgramEnd all = sweep("[\"torus(5x5)\", \"torus(3x3)\"]");
  CHECK(all.code == 2);
  CHECK(all.complained.find("s.toml: every point of the sweep was refused: ") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "out"));
}

TEST_CASE("sweep: a claim that does not hold is said, stands in sweep.json, and is exit code 5") {
  const DataFolder folder;
  const auto end_with = [&](const std::string& bound, const Words& more = {}) {
    folder.write("s.toml", quadratic_run + R"toml(
[sweep]
driver = "simulate"
title = "its title"
about = ["what it is about"]
not_reproduced = ["what it does not show"]
[[sweep.variant]]
name = "plain"
algorithm.kind = "d-psgd"
[[sweep.variant]]
name = "other"
algorithm.kind = "d-psgd"
[[sweep.claim]]
says = "the loss is bounded"
figure = "loss"
ascending = ["plain", )toml" + bound +
                               "]\n");
    Words words = {"sweep", "s.toml", "--output", "out", "--overwrite"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(folder.path(), words);
  };
  const auto claim = [&] { return json_of(content_of(folder.path() / "out/sweep.json"))["claims"][0]; };
  const ProgramEnd holds = end_with("1e9");
  CHECK(holds.code == 0);
  CHECK(holds.said.find("holds: the loss is bounded\n    loss: plain ") != std::string::npos);
  CHECK(claim()["holds"] == true);
  const Json record = json_of(content_of(folder.path() / "out/sweep.json"));
  CHECK(record["title"] == "its title");
  CHECK(record["about"] == Json{"what it is about"});
  CHECK(record["not_reproduced"] == Json{"what it does not show"});
  CHECK(holds.said.find("holds: the loss") <
        holds.said.find("Did not reproduce:\n    what it does not show\n"));
  CHECK(holds.said.find("Did not reproduce:") != std::string::npos);
  const ProgramEnd fails = end_with("-1.0");
  CHECK(fails.code == 5);
  CHECK(fails.said.find("FAILS: the loss is bounded\n    loss: plain ") != std::string::npos);
  CHECK(claim()["holds"] == false);
  const ProgramEnd not_tried = end_with("-1.0", {"--only", "other"});
  CHECK(not_tried.code == 0);
  CHECK(not_tried.said.find("not tried: the loss is bounded") != std::string::npos);
  CHECK(claim()["holds"].is_null());
}

}  // namespace hearsay::test::sweep_program_test

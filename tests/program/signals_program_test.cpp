#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/program/quadratic_run.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::signals_program_test {

using Json = nlohmann::ordered_json;

namespace {

/// A run too long to wait for.
const std::string endless_run = R"toml(
[run]
iterations = 100000000
evaluate_every = 5
[model]
kind = "quadratic(50)"
[topology]
peers = 4
[algorithm]
batch = "full"
[network]
latency = "1 ms"
)toml";

/// Waits until the second evaluation is recorded: the peers train. False if it never is.
bool trains(const Program& program, const std::filesystem::path& output) {
  return program.wait_until(
      [&] { return std::ranges::count(content_of(output / "metrics.jsonl"), '\n') >= 2; });
}

/// True if the program has a handler for the signal. False while the process has not yet become the program.
bool handles(pid_t process, int signal) {
  const std::string folder = "/proc/" + std::to_string(process);
  if (!std::filesystem::equivalent(folder + "/exe", HEARSAY_PROGRAM)) return false;
  const std::string status = content_of(folder + "/status");
  const std::size_t caught = status.find("SigCgt:");
  if (caught == std::string::npos) return false;
  return (std::stoull(status.substr(caught + 7), nullptr, 16) >> (signal - 1) & 1) != 0;
}

}  // namespace

TEST_CASE("Ctrl-C: exit code 130, a complete output directory, and nobody left behind") {
  const DataFolder folder;
  folder.write("q.toml", endless_run);
  for (const std::string command : {"run", "simulate"}) {
    CAPTURE(command);
    const auto output = folder.path() / command;
    Program program(folder.path(), {command, "q.toml", "--quiet", "--output", command});
    REQUIRE_MESSAGE(trains(program, output), program.complained());
    CHECK(program.children().size() == (command == "run" ? 4 : 0));
    program.signal_group(SIGINT);
    CHECK(program.wait() == 130);
    CHECK(program.everyone_ended());
    const Json summary = Json::parse(content_of(output / "summary.json"));
    CHECK(summary["status"] == "interrupted");
    CHECK(summary["iterations"] >= 5);
    CHECK(summary["loss"].is_number());
    CHECK(std::filesystem::exists(output / "model.npy"));
  }
}

TEST_CASE("Ctrl-C: a run whose peers keep their own models leaves no model.npy, and says nothing of one") {
  const DataFolder folder;
  folder.write("q.toml", endless_run);
  for (const std::string evaluate_every : {"5", "100000000"}) {  // after an evaluation of theirs, and before
    CAPTURE(evaluate_every);
    const auto output = folder.path() / evaluate_every;
    Program program(folder.path(), {"run", "q.toml", "--set", "run.evaluate=\"own\"", "--set",
                                    "run.evaluate_every=" + evaluate_every, "--output", evaluate_every});
    REQUIRE_MESSAGE(program.wait_until([&] {
      return std::ranges::count(content_of(output / "metrics.jsonl"), '\n') >=
             (evaluate_every == "5" ? 2 : 1);
    }),
                    program.complained());
    program.signal_group(SIGINT);
    CHECK(program.wait() == 130);
    CHECK_FALSE(std::filesystem::exists(output / "model.npy"));
    CHECK_MESSAGE(program.said().find("model.npy ") == std::string::npos, program.said());
  }
}

TEST_CASE("Ctrl-C: where peers keep their own models, each long one is written to its end") {
  const DataFolder folder;
  folder.write("q.toml", endless_run);
  const auto output = folder.path() / "out";
  Program program(folder.path(), {"run", "q.toml", "--set", "run.evaluate=\"own\"", "--set",
                                  "run.evaluate_every=1", "--set", "model.kind=\"quadratic(6000000)\"",
                                  "--set", "network.latency=\"0 ms\"", "--output", "out"});
  REQUIRE_MESSAGE(trains(program, output), program.complained());
  program.signal_group(SIGINT);
  CHECK(program.wait() == 130);
  for (const std::string id : {"0", "1", "2", "3"}) {
    CAPTURE(id);
    REQUIRE(std::filesystem::exists(output / ("model-" + id + ".npy")));
    CHECK(std::filesystem::file_size(output / ("model-" + id + ".npy")) > 24'000'000);
  }
}

TEST_CASE("metrics that are removed while a run goes on are said to be lost, and the rest is written") {
  const DataFolder folder;
  folder.write("q.toml", endless_run);
  const auto output = folder.path() / "out";
  Program program(folder.path(), {"simulate", "q.toml", "--quiet", "--output", "out"});
  REQUIRE_MESSAGE(trains(program, output), program.complained());
  std::filesystem::remove(output / "metrics.jsonl");
  program.signal_group(SIGINT);
  CHECK(program.wait() == 2);
  CHECK(program.complained().find("metrics.jsonl was removed while the run went on") != std::string::npos);
  CHECK(std::filesystem::exists(output / "summary.json"));
  CHECK(std::filesystem::exists(output / "model.npy"));
}

TEST_CASE("Ctrl-C: the model of the last evaluation is not called the best, which nobody asked for") {
  const DataFolder folder;
  folder.write("q.toml", endless_run);
  Program program(folder.path(), {"simulate", "q.toml", "--output", "out"});
  REQUIRE_MESSAGE(trains(program, folder.path() / "out"), program.complained());
  program.signal_group(SIGINT);
  CHECK(program.wait() == 130);
  CHECK(program.said().find("interrupted after ") != std::string::npos);
  CHECK_MESSAGE(program.said().find("the best") == std::string::npos, program.said());
}

TEST_CASE("Ctrl-C is obeyed even where evaluations take longer than the iterations between them") {
  const DataFolder folder;
  folder.write("slow.toml", R"toml(
[run]
iterations = 100000000
evaluate_every = 1
[data]
source = "synthetic(samples=40000, features=200, classes=10)"
[topology]
peers = 4
[algorithm]
kind = "d-psgd"
batch = 1
)toml");
  Program program(folder.path(), {"run", "slow.toml", "--quiet", "--output", "out"});
  REQUIRE_MESSAGE(trains(program, folder.path() / "out"), program.complained());
  program.signal_group(SIGINT);
  CHECK(program.wait() == 130);
  CHECK(program.everyone_ended());
  CHECK(Json::parse(content_of(folder.path() / "out/summary.json"))["status"] == "interrupted");
}

TEST_CASE("Ctrl-C: every peer's last words arrive, wherever in an iteration it was") {
  const DataFolder folder;
  folder.write("q.toml", endless_run);
  for (int attempt = 0; attempt < 8; ++attempt) {
    CAPTURE(attempt);
    Program program(folder.path(), {"run", "q.toml", "--quiet", "--overwrite", "--output", "out", "--set",
                                    "run.evaluate_every=1", "--set", "network.latency=0 s"});
    REQUIRE_MESSAGE(trains(program, folder.path() / "out"), program.complained());
    program.signal_group(SIGINT);
    CHECK(program.wait() == 130);
    const Json summary = Json::parse(content_of(folder.path() / "out/summary.json"));
    for (const Json& peer : summary["per_peer"]) CHECK(peer["iterations"] > 0);
    std::filesystem::remove_all(folder.path() / "out");
  }
}

TEST_CASE("Ctrl-C: a check, which has no record to close, ends at the first") {
  const DataFolder folder;
  // Even the twelve simulated iterations would take too long.
  folder.write("long.toml", R"toml(
[run]
iterations = 100
[model]
kind = "quadratic(50)"
[topology]
kind = "complete"
peers = 1000
)toml");
  Program program(folder.path(), {"check", "long.toml"});
  REQUIRE(program.wait_until([&] { return handles(program.process(), SIGINT); }));
  program.signal_group(SIGINT);
  CHECK(program.wait() == 130);
  CHECK(program.said().empty());
}

TEST_CASE("kill -9 of the program: no peer is left behind") {
  const DataFolder folder;
  folder.write("q.toml", endless_run);
  Program program(folder.path(), {"run", "q.toml", "--quiet", "--output", "out"});
  REQUIRE_MESSAGE(trains(program, folder.path() / "out"), program.complained());
  REQUIRE(program.children().size() == 4);
  kill(program.process(), SIGKILL);
  CHECK(program.wait() == -SIGKILL);
  CHECK(program.everyone_ended());
  // The record stays, and the message says so.
  const ProgramEnd again = run_program(folder.path(), {"run", "q.toml", "--quiet", "--output", "out"});
  CHECK(again.code == 2);
  CHECK(again.complained.find("it exists and holds a run that is going on or was cut off") !=
        std::string::npos);
}

TEST_CASE("kill -9 of a peer: exit code 3, the peer is named, and nobody is left behind") {
  const DataFolder folder;
  folder.write("q.toml", endless_run);
  Program program(folder.path(), {"run", "q.toml", "--quiet", "--output", "out"});
  REQUIRE_MESSAGE(trains(program, folder.path() / "out"), program.complained());
  const std::vector<pid_t> peers = program.children();
  REQUIRE(peers.size() == 4);
  kill(peers[2], SIGKILL);
  CHECK(program.wait() == 3);
  CHECK(program.everyone_ended());
  CHECK(program.complained().find("peer 2 was lost: killed by signal 9") != std::string::npos);
  const Json summary = Json::parse(content_of(folder.path() / "out/summary.json"));
  CHECK(summary["status"] == "lost");
  CHECK(summary["bytes_sent"] > 0);
}

TEST_CASE("Ctrl-C ends a sweep with the table so far") {
  const DataFolder folder;
  folder.write("s.toml", endless_run +
                             "[sweep]\ndriver = \"simulate\"\n"
                             "[[sweep.variant]]\nname = \"one\"\nrun.iterations = 10\n"
                             "[[sweep.variant]]\nname = \"two\"\n"
                             "[[sweep.variant]]\nname = \"three\"\n");
  Program program(folder.path(), {"sweep", "s.toml", "--quiet", "--output", "out"});
  REQUIRE_MESSAGE(trains(program, folder.path() / "out/two"), program.complained());
  REQUIRE(
      program.wait_until([&] { return std::filesystem::exists(folder.path() / "out/one/summary.json"); }));
  program.signal_group(SIGTERM);
  CHECK(program.wait() == 130);
  const Json record = Json::parse(content_of(folder.path() / "out/sweep.json"));
  const std::size_t begun = record["points"].size();  // two at a time, if the machine has two cores
  REQUIRE(begun >= 2);
  CHECK(record["points"][0]["status"] == "done");
  for (std::size_t k = 1; k < begun; ++k) CHECK(record["points"][k]["status"] == "interrupted");
}

TEST_CASE("Ctrl-C and SIGTERM while data load: the program ends at once, and leaves nothing behind") {
  const DataFolder folder;
  folder.write("d.toml", "[model]\nkind = \"softmax\"\n[data]\nsource = \"csv:never-ends\"\n");
  // A pipe that nobody writes into: data that never come.
  REQUIRE(mkfifo((folder.path() / "never-ends").c_str(), 0600) == 0);
  for (const std::string command : {"run", "simulate", "advise", "check"})
    for (const int signal : {SIGINT, SIGTERM}) {
      CAPTURE(command);
      CAPTURE(signal);
      Program program(folder.path(), {command, "d.toml", "--set", "run.output=out"});
      REQUIRE(program.wait_until([&] { return handles(program.process(), signal); }));
      program.signal_group(signal);
      CHECK(program.wait() == 130);
      CHECK_FALSE(std::filesystem::exists(folder.path() / "out"));
    }
}

}  // namespace hearsay::test::signals_program_test

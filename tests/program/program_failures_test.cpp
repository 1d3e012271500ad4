#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/program/quadratic_run.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"

using namespace hearsay::test;
using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

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

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Waits until the second evaluation is recorded: the peers train. False if it never is.
bool trains(const Program& program, const std::filesystem::path& output) {
  return program.wait_until([&] { return lines_of(content_of(output / "metrics.jsonl")) >= 2; });
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

TEST_CASE("bad input: one sentence, exit code 2, and no output directory") {
  const TemporaryFolder folder;
  folder.write("q.toml", small_run);
  std::string two_triangles = "peers = 6\n";
  for (const std::string link : {"0 1", "1 2", "0 2", "3 4", "4 5", "3 5"})
    two_triangles += "[[link]]\nfrom = " + link.substr(0, 1) + "\nto = " + link.substr(2) + "\n";
  folder.write("two.toml", two_triangles);
  folder.write("truncated.npy", "\x93NUMPY");
  struct Case {
    Words words;
    std::string named;  ///< a part that the message must have
  };
  const std::vector<Case> cases = {
      {{"--set", "network.bandwith=1"}, "network.bandwidth"},
      {{"--set", "network.latency=5"}, "network.latency"},
      {{"--set", "network.bandwidth=10 parsec"}, "10 parsec"},
      {{"--set", "topology.kind=torus(4x4)", "--set", "topology.peers=12"}, "torus(4x4)"},
      {{"--set", "topology.file=two.toml"}, "connected"},
      {{"--set", "model.kind=logistic", "--set", "data.source=libsvm:nowhere"}, "nowhere"},
      {{"--set", "model.init=truncated.npy"}, "truncated.npy"},
      {{"--set", "algorithm.kind=dcd-psdg"}, "dcd-psgd"},
      {{"--set", "algorithm.compressor=dither(l7)"}, "l7"},
      {{"--set", "algorithm.kind=d-psgd", "--set", "algorithm.compressor=topk(1%)"}, "topk"},
      {{"--set", "run.epochs=1", "--set", "run.iterations=3"}, "run."},
      {{"--save", "everything"}, "everything"},
      {{"--set", "run.name=no\xffname"}, "run.name"},
      {{"--set", "run.name=two\nlines"}, "run.name"},
      {{"--no-such-option"}, "--no-such-option"},
  };
  for (const std::string command : {"run", "simulate"})
    for (const Case& bad : cases) {
      if (command == "run" && &bad - cases.data() > 6) continue;
      Words words = {command, "q.toml", "--output", "out"};
      words.insert(words.end(), bad.words.begin(), bad.words.end());
      const ProgramEnd end = run_program(folder.path(), words);
      CAPTURE(bad.words.back());
      CAPTURE(end.complained);
      CHECK(end.code == 2);
      CHECK(end.complained.starts_with("hearsay: "));
      CHECK(lines_of(end.complained) == 1);
      CHECK(end.complained.find(bad.named) != std::string::npos);
      CHECK(end.said == "");
      CHECK_FALSE(std::filesystem::exists(folder.path() / "out"));
    }
  for (const Words& words : {Words{"runn", "q.toml"}, Words{"run"}, Words{"run", "nowhere.toml"}, Words{},
                             Words{"topology", "ringg(4)"}, Words{"topology", "two.toml"},
                             Words{"evaluate", "nowhere.npy", "q.toml"}, Words{"check", "nowhere.toml"}}) {
    const ProgramEnd end = run_program(folder.path(), words);
    CAPTURE(end.complained);
    CHECK(end.code == 2);
    CHECK(end.complained.starts_with("hearsay: "));
    CHECK(lines_of(end.complained) == 1);
  }
}

TEST_CASE("a folder that is closed to the user: one sentence with path and reason, exit code 2") {
  const TemporaryFolder folder;
  const auto closed = folder.path() / "closed";
  folder.write("q.toml", small_run);
  std::filesystem::create_directory(closed);
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  std::filesystem::permissions(closed, std::filesystem::perms::none);
  const std::string simulate = "simulate";
  const std::string check = "check";
  for (const Words& words :
       {Words{simulate, "--output", "closed/a/b"}, Words{simulate, "--output", "closed/a"},
        Words{simulate, "--output", "closed", "--overwrite"},
        Words{check, "--set", "data.source=cifar10:closed", "--set", "model.kind=softmax"},
        Words{check, "--set", "data.source=libsvm:closed/a", "--set", "model.kind=softmax"},
        Words{check, "--set", "model.init=closed/x.npy"},
        Words{check, "--set", "topology.file=closed/t.toml"}}) {
    Words all = words;
    all.insert(all.begin() + 1, "q.toml");
    const ProgramEnd end = run_program(folder.path(), all, become_ordinary_user);
    CAPTURE(words[2]);
    CAPTURE(end.complained);
    CHECK(end.code == 2);
    CHECK(lines_of(end.complained) == 1);
    CHECK(end.complained.find(closed.string()) != std::string::npos);
    CHECK(end.complained.find("Permission denied") != std::string::npos);
  }
  std::filesystem::permissions(closed, std::filesystem::perms::owner_all);
}

TEST_CASE("a name that is too long for a file: one sentence, exit code 2, and nothing half-written") {
  const TemporaryFolder folder;
  const std::string name(300, 'n');
  folder.write("q.toml", small_run);
  folder.write("s.toml",
               small_run + "[sweep]\ndriver = \"simulate\"\n[[sweep.variant]]\nname = \"" + name + "\"\n");
  for (const Words& words :
       {Words{"simulate", "q.toml", "--output", name}, Words{"simulate", "q.toml", "--output", name + "/a"},
        Words{"simulate", "q.toml", "--output", "a/" + name},
        Words{"simulate", "q.toml", "--set", "run.name=" + name}, Words{"simulate", "q.toml", "--output", ""},
        Words{"topology", name}, Words{"simulate", name}, Words{"sweep", "s.toml", "--output", name}}) {
    const ProgramEnd end = run_program(folder.path(), words);
    CAPTURE(words.back());
    CAPTURE(end.complained);
    CHECK(end.code == 2);
    CHECK(lines_of(end.complained) == 1);
  }
  CHECK_FALSE(std::filesystem::exists(folder.path() / "a"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "runs"));
  // The folder of a variant has a shorter name.
  CHECK(run_program(folder.path(), {"sweep", "s.toml", "--quiet", "--output", "out"}).code == 0);
}

TEST_CASE("what nobody foresaw: one sentence and exit code 1") {
  const TemporaryFolder folder;
  const std::string file = folder.write("q.toml", small_run);
  const auto lose_the_current_folder = [] {
    if (mkdir("gone", 0700) != 0 || chdir("gone") != 0 || rmdir("../gone") != 0) _exit(127);
  };
  const ProgramEnd end = run_program(folder.path(), {"simulate", file}, lose_the_current_folder);
  CAPTURE(end.complained);
  CHECK(end.code == 1);
  CHECK(end.complained.starts_with("hearsay: "));
  CHECK(lines_of(end.complained) == 1);
}

TEST_CASE("a batch of a thousand million samples is refused, not measured for minutes") {
  const TemporaryFolder folder;
  folder.write("q.toml", small_run);
  for (const std::string command : {"check", "simulate"}) {
    const ProgramEnd end =
        run_program(folder.path(), {command, "q.toml", "--set", "algorithm.batch=1000000000"});
    CHECK(end.code == 2);
    CHECK(end.complained.find("algorithm.batch = 1000000000") != std::string::npos);
  }
}

TEST_CASE("output: an earlier one is replaced only when told so, anything else never") {
  const TemporaryFolder folder;
  folder.write("q.toml", small_run);
  const Words words = {"simulate", "q.toml", "--quiet", "--output", "out"};
  Words overwriting = words;
  overwriting.push_back("--overwrite");
  CHECK(run_program(folder.path(), words).code == 0);
  const auto written = std::filesystem::last_write_time(folder.path() / "out/summary.json");
  const ProgramEnd refused = run_program(folder.path(), words);
  CHECK(refused.code == 2);
  CHECK(refused.complained.find("--overwrite") != std::string::npos);
  CHECK(std::filesystem::last_write_time(folder.path() / "out/summary.json") == written);
  std::ofstream(folder.path() / "out/model-7.npy") << "of the first run";
  CHECK(run_program(folder.path(), overwriting).code == 0);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "out/model-7.npy"));

  // Not even a folder in which its owner keeps a run file.
  std::filesystem::create_directory(folder.path() / "precious");
  std::ofstream(folder.path() / "precious/run.toml") << small_run;
  overwriting[4] = "precious";
  CHECK(run_program(folder.path(), overwriting).code == 2);
  CHECK(content_of(folder.path() / "precious/run.toml") == small_run);
}

TEST_CASE("divergence: exit code 4, the iteration is named, and no loss of 0") {
  const TemporaryFolder folder;
  folder.write("q.toml", small_run);
  // An evaluation sees a loss that has grown beyond all bounds; without any, the numbers end at infinity.
  const std::string grew = "the loss grew to more than a million times its first value by iteration 5";
  struct Case {
    std::string evaluate_every;
    std::string cause;
  };
  for (const Case& of : {Case{"5", grew}, Case{"5000", "left the finite range"}})
    for (const std::string command : {"run", "simulate"}) {
      CAPTURE(command);
      CAPTURE(of.cause);
      const ProgramEnd end = run_program(
          folder.path(),
          {command, "q.toml", "--json", "--overwrite", "--output", command, "--set", "run.iterations=5000",
           "--set", "run.evaluate_every=" + of.evaluate_every, "--set", "algorithm.step_size=1000"});
      CHECK(end.code == 4);
      CHECK_MESSAGE(end.complained.find(of.cause) != std::string::npos, end.complained);
      CHECK(end.complained.find("iteration ") != std::string::npos);
      const Json summary = Json::parse(content_of(folder.path() / command / "summary.json"));
      CHECK(summary["status"] == "diverged");
      CHECK(summary["loss"].is_null());
      CHECK(summary["replicas_consistent"].is_null());
    }
}

TEST_CASE("Ctrl-C: exit code 130, a complete output directory, and nobody left behind") {
  const TemporaryFolder folder;
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

TEST_CASE("Ctrl-C is obeyed even where evaluations take longer than the iterations between them") {
  const TemporaryFolder folder;
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
  const TemporaryFolder folder;
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
  const TemporaryFolder folder;
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
  const TemporaryFolder folder;
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
  const TemporaryFolder folder;
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
  const TemporaryFolder folder;
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

TEST_CASE("a full disk under the standard output: one sentence with the reason, exit code 2") {
  const TemporaryFolder folder;
  const ProgramEnd end = run_program(folder.path(), {"list"}, [] { dup2(open("/dev/full", O_WRONLY), 1); });
  CHECK(end.code == 2);
  CHECK(end.complained == "hearsay: cannot write to the standard output: No space left on device\n");
}

TEST_CASE("evaluate: a model that is no number is named, instead of a loss of nan") {
  const TemporaryFolder folder;
  folder.write("q.toml", small_run);
  CHECK(run_program(folder.path(), {"simulate", "q.toml", "--output", "out"}).code == 0);
  std::string model = content_of(folder.path() / "out/model.npy");
  model.replace(model.size() - 4, 4, "\xff\xff\xff\xff");
  folder.write("nan.npy", model);
  const ProgramEnd end = run_program(folder.path(), {"evaluate", "nan.npy", "q.toml"});
  CHECK(end.code == 2);
  CHECK(end.complained.find("nan.npy: its loss is no number") != std::string::npos);
}

TEST_CASE("a closed standard output is no reason to crash") {
  const TemporaryFolder folder;
  folder.write("q.toml", small_run);
  Program program(folder.path(), {"list"}, Program::Output::nobody_reads);
  CHECK(program.wait() == 0);
  Program run(folder.path(), {"simulate", "q.toml", "--output", "out"}, Program::Output::nobody_reads);
  CHECK(run.wait() == 0);
  CHECK(std::filesystem::exists(folder.path() / "out/summary.json"));
}

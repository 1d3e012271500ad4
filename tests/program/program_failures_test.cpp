#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/program/quadratic_run.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::program_failures_test {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

namespace {

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("bad input: one sentence, exit code 2, and no output directory") {
  const DataFolder folder;
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
  const DataFolder folder;
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
  const DataFolder folder;
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
  const DataFolder folder;
  folder.write("s.toml", small_run + "[sweep]\ndriver = \"simulate\"\n\"run.seed\" = [1, 2, 3]\n");
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  const auto forbid_threads = [] {
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // a leak checker would want a thread, too
    const rlimit none{};
    setrlimit(RLIMIT_NPROC, &none);  // does not hold for root
    become_ordinary_user();
  };
  const ProgramEnd end = run_program(folder.path(), {"sweep", "s.toml", "--output", "out"}, forbid_threads);
  CAPTURE(end.complained);
  CHECK(end.code == 1);
  CHECK(end.complained.starts_with("hearsay: "));
  CHECK(lines_of(end.complained) == 1);
}

TEST_CASE("a batch of a thousand million samples is refused, not measured for minutes") {
  const DataFolder folder;
  folder.write("q.toml", small_run);
  for (const std::string command : {"check", "simulate"}) {
    const ProgramEnd end =
        run_program(folder.path(), {command, "q.toml", "--set", "algorithm.batch=1000000000"});
    CHECK(end.code == 2);
    CHECK(end.complained.find("algorithm.batch = 1000000000") != std::string::npos);
  }
}

TEST_CASE("output: an earlier one is replaced only when told so, anything else never") {
  const DataFolder folder;
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
  const DataFolder folder;
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

TEST_CASE("a full disk under the standard output: one sentence with the reason, exit code 2") {
  const DataFolder folder;
  const ProgramEnd end = run_program(folder.path(), {"list"}, [] { dup2(open("/dev/full", O_WRONLY), 1); });
  CHECK(end.code == 2);
  CHECK(end.complained == "hearsay: cannot write to the standard output: No space left on device\n");
}

TEST_CASE("evaluate: a model that is no number is named, instead of a loss of nan") {
  const DataFolder folder;
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
  const DataFolder folder;
  folder.write("q.toml", small_run);
  Program program(folder.path(), {"list"}, Program::Output::nobody_reads);
  CHECK(program.wait() == 0);
  Program run(folder.path(), {"simulate", "q.toml", "--output", "out"}, Program::Output::nobody_reads);
  CHECK(run.wait() == 0);
  CHECK(std::filesystem::exists(folder.path() / "out/summary.json"));
}

}  // namespace hearsay::test::program_failures_test

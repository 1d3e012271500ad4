#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::faults_resume_test {

namespace {

namespace fs = std::filesystem;

const std::string three_peers = R"toml(
[run]
iterations = 60
evaluate_every = 10
[data]
source = "synthetic(samples=96, features=20, classes=3)"
[topology]
peers = 3
[algorithm]
kind = "dcd-psgd"
compressor = "dither(linf, levels=127, bucket=512)"
[failure]
checkpoint_every = 20
)toml";

/// The output of a run that has ended, and what becomes of it if it is resumed.
struct Scene {
  Scene() { folder.write("run.toml", three_peers); }
  ProgramEnd run(const std::vector<std::string>& more) const {
    std::vector<std::string> arguments{"run", "run.toml", "--output", "out", "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_program(folder.path(), arguments);
  }
  fs::path output() const { return folder.path() / "out"; }
  fs::path checkpoints() const { return output() / "checkpoints"; }
  /// All files of the output and what is in them.
  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(output()))
      if (entry.is_regular_file()) found[entry.path().string()] = content_of(entry.path());
    return found;
  }
  void each_checkpoint(const std::function<void(const fs::path&)>& spoil,
                       const std::string& of = "checkpoint-") {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(checkpoints()))
      if (entry.path().filename().string().starts_with(of)) all.push_back(entry.path());
    REQUIRE(!all.empty());
    for (const fs::path& file : all) spoil(file);
  }
  DataFolder folder;
};

void set_byte(const fs::path& file, std::streamoff at, char value) {
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(at).put(value);
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE(
      "resume: a run whose checkpoints or record cannot be used is refused, and nothing of it is touched") {
    const Scene began;
    REQUIRE(began.run({}).code == 0);
    const std::vector<std::pair<std::string, std::function<void(Scene&)>>> spoilings{
        {"an older version",
         [](Scene& scene) { scene.each_checkpoint([](const fs::path& file) { set_byte(file, 8, 2); }); }},
        {"empty files",
         [](Scene& scene) { scene.each_checkpoint([](const fs::path& file) { fs::resize_file(file, 0); }); }},
        {"a byte in each",
         [](Scene& scene) { scene.each_checkpoint([](const fs::path& file) { set_byte(file, 100, '?'); }); }},
        {"those of one peer empty",
         [](Scene& scene) {
           scene.each_checkpoint([](const fs::path& file) { fs::resize_file(file, 0); }, "checkpoint-1-");
         }},
        {"those of one peer gone",
         [](Scene& scene) {
           scene.each_checkpoint([](const fs::path& file) { fs::remove(file); }, "checkpoint-1-");
         }},
        {"all gone", [](Scene& scene) { fs::remove_all(scene.checkpoints()); }},
        {"no record", [](Scene& scene) { fs::remove(scene.output() / "metrics.jsonl"); }},
        {"an empty record", [](Scene& scene) { fs::resize_file(scene.output() / "metrics.jsonl", 0); }},
        {"a record that begins with rubbish",
         [](Scene& scene) { set_byte(scene.output() / "metrics.jsonl", 0, '?'); }},
    };
    for (const auto& [what, spoil] : spoilings) {
      CAPTURE(what);
      Scene scene;
      fs::copy(began.output(), scene.output(), fs::copy_options::recursive);
      spoil(scene);
      const auto before = scene.files();
      const ProgramEnd end = scene.run({"--resume", "--set", "run.iterations=80"});
      CHECK_MESSAGE(end.code == 2, end.complained);
      CHECK_MESSAGE(contains(end.complained, "--overwrite"), end.complained);
      CHECK(scene.files() == before);
    }
  }

  TEST_CASE("resume: on a faster network an all-reduce goes on the way on which it began") {
    Scene scene;
    const auto run = [&](std::vector<std::string> more) {
      more.insert(more.end(),
                  {"--set", "algorithm.kind=allreduce-sgd", "--set", "algorithm.compressor=none"});
      return scene.run(more);
    };
    const auto record = [&] { return content_of(scene.output() / "run.toml"); };
    REQUIRE(run({"--set", "network.latency=2 ms"}).code == 0);
    REQUIRE(contains(record(), "reduce = \"doubling\""));
    const ProgramEnd resumed = run({"--resume", "--set", "run.iterations=80"});
    REQUIRE_MESSAGE(resumed.code == 0, resumed.complained);
    CHECK(contains(record(), "reduce = \"doubling\""));
    // Who asks for another way asks for another run.
    const ProgramEnd refused =
        run({"--resume", "--set", "run.iterations=100", "--set", "algorithm.reduce=ring"});
    CHECK(refused.code == 2);
    CHECK_MESSAGE(contains(refused.complained, "algorithm.reduce = doubling, now ring"), refused.complained);
    const std::string model = content_of(scene.output() / "model.npy");
    REQUIRE(run({"--overwrite", "--set", "run.iterations=80", "--set", "algorithm.reduce=doubling"}).code ==
            0);
    CHECK(content_of(scene.output() / "model.npy") == model);
  }

  TEST_CASE("resume: a run with other settings is refused by those that differ, and by the data") {
    Scene scene;
    REQUIRE(scene.run({}).code == 0);
    const auto before = scene.files();
    const auto refusal_of = [&](const std::string& setting) {
      const ProgramEnd end = scene.run({"--resume", "--set", setting});
      CHECK_MESSAGE(end.code == 2, end.complained);
      CHECK(scene.files() == before);
      return end.complained;
    };
    const std::string seed = refusal_of("run.seed=9");
    CHECK_MESSAGE(contains(seed, "it is of a run with other settings: run.seed = 1, now 9"), seed);
    const std::string data = refusal_of("data.source=\"synthetic(samples=99, features=20, classes=3)\"");
    CHECK_MESSAGE(contains(data, "other settings: the data (samples and labels);"), data);
    const std::string step = refusal_of("algorithm.step_size=0.25");
    CHECK_MESSAGE(contains(step, "algorithm.step_size = 0.1, now 0.25;"), step);
    const std::string links = refusal_of("topology.kind=path");
    CHECK_MESSAGE(contains(links, "the topology (links and weights)"), links);
  }

  TEST_CASE(
      "resume: a run that was cut off before its first evaluation is begun, as is one that is not there") {
    const std::vector<std::pair<std::string, std::function<void(Scene&)>>> beginnings{
        {"no folder", [](Scene&) {}},
        {"an empty folder", [](Scene& scene) { fs::create_directory(scene.output()); }},
        {"no line",
         [](Scene& scene) {
           fs::create_directories(scene.checkpoints());
           scene.folder.write("out/provenance.json", "{}");
           scene.folder.write("out/run.toml", "");
           scene.folder.write("out/metrics.jsonl", "");
         }},
        {"half a line",
         [](Scene& scene) {
           fs::create_directory(scene.output());
           scene.folder.write("out/provenance.json", "{}");
           scene.folder.write("out/metrics.jsonl", "{\"iteration\":0,");
         }},
        {"x_0 alone",
         [](Scene& scene) {
           REQUIRE(scene.run({"--set", "run.iterations=1"}).code == 0);
           fs::remove(scene.output() / "summary.json");
           fs::remove_all(scene.checkpoints());
           const std::string lines = content_of(scene.output() / "metrics.jsonl");
           scene.folder.write("out/metrics.jsonl", lines.substr(0, lines.find('\n') + 1));
         }},
    };
    const Scene calm;
    REQUIRE(calm.run({}).code == 0);
    for (const auto& [what, prepare] : beginnings) {
      CAPTURE(what);
      Scene scene;
      prepare(scene);
      const ProgramEnd end = scene.run({"--resume"});
      CHECK_MESSAGE(end.code == 0, end.complained);
      CHECK(content_of(scene.output() / "model.npy") == content_of(calm.output() / "model.npy"));
    }
  }

  TEST_CASE("resume: a folder with a user's own files is none that a run has begun") {
    Scene scene;
    fs::create_directory(scene.output());
    scene.folder.write("out/notes", "mine");
    const ProgramEnd end = scene.run({"--resume"});
    CHECK(end.code == 2);
    CHECK(content_of(scene.output() / "notes") == "mine");
  }
}

}  // namespace hearsay::test::faults_resume_test

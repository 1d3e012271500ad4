#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/program/kept_run.hpp"
#include "tests/program/printed_record.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::kept_models_program_test {

namespace {

const std::string kept = kept_run("0.1");

}  // namespace

TEST_CASE("kept models: run and simulate keep the same ones, and a resumed run goes on with their index") {
  const DataFolder folder;
  folder.write("k.toml", kept + "[failure]\ncheckpoint_every = 10\n");
  for (const char* const keep : {"every 10", "every 10, peers"}) {
    CAPTURE(keep);
    const std::string set = std::string("run.keep_models=") + keep;
    REQUIRE(
        run_program(folder.path(), {"run", "k.toml", "--overwrite", "--output", "run", "--set", set}).code ==
        0);
    REQUIRE(run_program(folder.path(),
                        {"simulate", "k.toml", "--overwrite", "--output", "simulated", "--set", set})
                .code == 0);
    const std::string index = content_of(folder.path() / "run/models/index.jsonl");
    CHECK(std::ranges::count(index, '\n') == 7);
    CHECK(index == content_of(folder.path() / "simulated/models/index.jsonl"));
    const std::string last =
        std::string("models/model-60") + (std::string(keep) == "every 10" ? "" : "-peer-3") + ".npy";
    CHECK(content_of(folder.path() / "run" / last) == content_of(folder.path() / "simulated" / last));
    if (std::string(keep) == "every 10")
      CHECK(content_of(folder.path() / "run" / last) == content_of(folder.path() / "run/model.npy"));
    REQUIRE(run_program(folder.path(), {"run", "k.toml", "--resume", "--output", "run", "--set", set, "--set",
                                        "run.iterations=80"})
                .code == 0);
    const std::string longer = content_of(folder.path() / "run/models/index.jsonl");
    CHECK(longer.starts_with(index));
    CHECK(std::ranges::count(longer, '\n') == 9);
  }
}

TEST_CASE("kept models: check says what they come to, and what is impossible is refused in a sentence") {
  const DataFolder folder;
  folder.write("k.toml", kept);
  const auto plan = record_of(run_program(folder.path(), {"check", "k.toml", "--json"}));
  CHECK(plan["kept_model_bytes"] == 7 * 44 * 4);
  const auto of_peers = record_of(
      run_program(folder.path(), {"check", "k.toml", "--json", "--set", "run.keep_models=every 10, peers"}));
  CHECK(of_peers["kept_model_bytes"] == 4 * 7 * 44 * 4);
  const auto complaint = [&](const std::string& set) {
    const ProgramEnd end = run_program(folder.path(), {"simulate", "k.toml", "--set", set});
    CHECK(end.code == 2);
    return end.complained;
  };
  CHECK(contains(complaint("run.keep_models=every 7"),
                 "run.keep_models = \"every 7\": models are seen at evaluations only, every 5 iterations; "
                 "expected a multiple of run.evaluate_every"));
  CHECK(contains(complaint("run.evaluate=own"), "the models stay at their peers"));
  CHECK(contains(complaint("run.keep_models=often"),
                 "expected \"never\", \"every 10\", or \"every 10, peers\""));
  CHECK(contains(complaint("run.keep_models=every 0"), "expected \"never\""));
}

}  // namespace hearsay::test::kept_models_program_test

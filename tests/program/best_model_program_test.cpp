#include <doctest/doctest.h>
#include <signal.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/program/printed_record.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::best_model_program_test {

namespace {

/// A run whose steps are too long: it is at its best early, and then wanders about.
const std::string wandering = R"toml(
[run]
iterations = 120
evaluate_every = 4
keep = "best"
[data]
source = "synthetic(samples=256, features=11, classes=4)"
[topology]
peers = 4
[algorithm]
kind = "d-psgd"
step_size = 3.0
batch = 2
)toml";

}  // namespace

TEST_CASE("best model: run and simulate keep the same one, of the evaluation that the summary names") {
  const DataFolder folder;
  folder.write("w.toml", wandering);
  const auto run = record_of(run_program(folder.path(), {"run", "w.toml", "--json", "--output", "run"}));
  const auto simulated =
      record_of(run_program(folder.path(), {"simulate", "w.toml", "--json", "--output", "simulated"}));
  CHECK(run["kept_iteration"] < run["iterations"]);
  for (const char* key : {"kept_iteration", "kept_loss", "kept_accuracy", "status"})
    CHECK(run[key] == simulated[key]);
  const std::string model = content_of(folder.path() / "run/model.npy");
  CHECK(model == content_of(folder.path() / "simulated/model.npy"));
  const auto judged =
      record_of(run_program(folder.path(), {"evaluate", "run/model.npy", "w.toml", "--json"}));
  CHECK(judged["loss"] == run["kept_loss"]);
  CHECK(judged["accuracy"] == run["kept_accuracy"]);

  const ProgramEnd last = run_program(
      folder.path(), {"simulate", "w.toml", "--json", "--output", "last", "--set", "run.keep=last"});
  CHECK(record_of(last)["kept_iteration"] == 120);
  CHECK(record_of(last)["kept_loss"] == record_of(last)["loss"]);
  CHECK(content_of(folder.path() / "last/model.npy") != model);
}

TEST_CASE("best model: the closing words say which model is kept, if it is not the last") {
  const DataFolder folder;
  folder.write("w.toml", wandering);
  const ProgramEnd best = run_program(folder.path(), {"simulate", "w.toml", "--output", "best"});
  CHECK(contains(best.said, "the best, of iteration "));
  const ProgramEnd last =
      run_program(folder.path(), {"simulate", "w.toml", "--output", "last", "--set", "run.keep=last"});
  CHECK_FALSE(contains(last.said, "model.npy"));
  const ProgramEnd only = run_program(folder.path(), {"simulate", "w.toml", "--output", "only", "--set",
                                                      "run.evaluate_every=2", "--set", "run.iterations=2"});
  CHECK(contains(only.said, "the best, of iteration "));
  const ProgramEnd plateau = run_program(folder.path(), {"simulate", "w.toml", "--output", "p", "--set",
                                                         "run.patience=3", "--set", "run.evaluate=peers"});
  CHECK(plateau.code == 0);
  CHECK(contains(plateau.said, "status                  plateau after "));
  CHECK(contains(plateau.said, ": the accuracy got no better in 3 evaluations after iteration "));
  CHECK(contains(plateau.said, "loss of the worst peer  "));
}

TEST_CASE("best model: a run that is made longer keeps the best of both parts") {
  const DataFolder folder;
  folder.write("w.toml", wandering + "[failure]\ncheckpoint_every = 20\n");
  const auto whole = record_of(run_program(folder.path(), {"run", "w.toml", "--json", "--output", "whole"}));
  // The first part ends after the best evaluation of the whole.
  const std::uint64_t best = whole["kept_iteration"];
  REQUIRE(best > 0);
  REQUIRE(best < 100);
  record_of(run_program(folder.path(),
                        {"run", "w.toml", "--json", "--output", "parts", "--set", "run.iterations=100"}));
  CHECK(std::filesystem::exists(folder.path() / "parts" / ("model-best-" + std::to_string(best) + ".npy")));
  const auto parts =
      record_of(run_program(folder.path(), {"run", "w.toml", "--json", "--output", "parts", "--resume"}));
  CHECK(parts["iterations"] == 120);
  for (const char* key : {"kept_iteration", "kept_loss", "kept_accuracy"}) CHECK(parts[key] == whole[key]);
  CHECK(content_of(folder.path() / "parts/model.npy") == content_of(folder.path() / "whole/model.npy"));

  // What an earlier part did not keep is said.
  record_of(run_program(folder.path(), {"run", "w.toml", "--json", "--output", "late", "--set",
                                        "run.iterations=100", "--set", "run.keep=last"}));
  const ProgramEnd late = run_program(folder.path(), {"run", "w.toml", "--output", "late", "--resume"});
  CHECK(late.code == 0);
  CHECK(contains(late.complained,
                 "warning: run.keep = \"best\": the best model so far was not kept, so model.npy becomes the "
                 "best of what follows iteration 100"));
}

TEST_CASE("best model: it outlives a crash of the whole run") {
  const DataFolder folder;
  folder.write("w.toml", wandering + "[failure]\ncheckpoint_every = 20\n[network]\ncompute = \"10 ms\"\n");
  const auto whole =
      record_of(run_program(folder.path(), {"simulate", "w.toml", "--json", "--output", "whole"}));
  const std::string best =
      "model-best-" + std::to_string(whole["kept_iteration"].get<std::uint64_t>()) + ".npy";
  {
    Program program(folder.path(), {"run", "w.toml", "--quiet", "--output", "crash"});
    REQUIRE(program.wait_until([&] { return std::filesystem::exists(folder.path() / "crash" / best); }));
    program.signal_group(SIGKILL);
    program.wait();
    REQUIRE(program.everyone_ended());
  }
  const auto resumed =
      record_of(run_program(folder.path(), {"run", "w.toml", "--json", "--output", "crash", "--resume"}));
  for (const char* key : {"kept_iteration", "kept_loss", "kept_accuracy"}) CHECK(resumed[key] == whole[key]);
  CHECK(content_of(folder.path() / "crash/model.npy") == content_of(folder.path() / "whole/model.npy"));
}

}  // namespace hearsay::test::best_model_program_test

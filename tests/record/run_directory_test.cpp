#include "runtime/record/run_directory.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "runtime/data/npy.hpp"
#include "runtime/record/checksummed_record.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/experiments.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::test::run_directory_test {

TEST_CASE("run directory: nothing is there before the first evaluation, and each is on disk as it comes") {
  const DataFolder folder;
  const auto output = folder.path() / "runs/deep/out";
  RunDirectory directory(output, EarlierOutput::refused);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "runs"));
  const RunSettings settings;
  Evaluation evaluation;
  evaluation.loss = 2.5;
  directory.append(settings, evaluation);
  CHECK(content_of(output / "metrics.jsonl").find("\"loss\":2.5") != std::string::npos);
  CHECK(parse_run(content_of(output / "run.toml"), "/", {}, "run.toml") == [&] {
    RunSettings expected = settings;
    expected.run.output = std::filesystem::absolute("runs/quickstart");
    return expected;
  }());
  directory.append(settings, evaluation);
  const std::string metrics = content_of(output / "metrics.jsonl");
  CHECK(std::count(metrics.begin(), metrics.end(), '\n') == 2);
}

TEST_CASE("run directory: who began a run is on disk until the summary says so") {
  const DataFolder folder;
  const auto output = folder.path() / "out";
  const auto experiment = quadratic_experiment<double>("d-psgd", "ring", 3, 4);
  const auto file = output / "provenance.json";
  RunDirectory directory(output, EarlierOutput::refused);
  directory.note_beginning({{"host", "here"}});
  CHECK_FALSE(std::filesystem::exists(output));
  directory.append(experiment.settings, {});
  CHECK(parse_checksummed(content_of(file), "provenance.json") == nlohmann::ordered_json{{"host", "here"}});
  const RunOutcome<double> outcome = simulate(experiment, Duration{0});
  directory.save_models(outcome, SaveModels::mean);
  directory.finish(summarize(experiment, outcome, Driver::simulator));
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("run directory: how far every peer is from the mean is a line per evaluation, null for one gone") {
  const DataFolder folder;
  RunDirectory directory(folder.path() / "out", EarlierOutput::refused);
  Evaluation evaluation;
  evaluation.distances.values = {0.125, std::nan(""), 1.0 / 3.0};
  directory.append(RunSettings{}, evaluation);
  evaluation.iteration = 10;
  evaluation.distances = {true, {2.0}};
  directory.append(RunSettings{}, evaluation);
  CHECK(content_of(folder.path() / "out/consensus.jsonl") ==
        "{\"iteration\":0,\"by\":\"peer\",\"distances\":[0.125,null,0.333333],\"crc32\":\"71741b9c\"}\n"
        "{\"iteration\":10,\"by\":\"rank\",\"distances\":[2.0],\"crc32\":\"61e35f21\"}\n");
}

TEST_CASE(
    "run directory: a run that goes on keeps the lines of both records from before its first evaluation") {
  const DataFolder folder;
  const auto output = folder.path() / "out";
  Evaluation evaluation;
  {
    RunDirectory directory(output, EarlierOutput::refused);
    for (const int iteration : {0, 5, 10}) {
      evaluation.iteration = static_cast<std::uint64_t>(iteration);
      evaluation.distances.values = {1.0 * iteration};
      directory.append(RunSettings{}, evaluation);
    }
  }
  RunDirectory directory(output, EarlierOutput::continued);
  evaluation.distances.values = {100.0};
  directory.append(RunSettings{}, evaluation);
  const std::string consensus = content_of(output / "consensus.jsonl");
  CHECK(std::count(consensus.begin(), consensus.end(), '\n') == 3);
  CHECK(consensus.find("\"iteration\":5,\"by\":\"peer\",\"distances\":[5.0]") != consensus.npos);
  CHECK(consensus.find("[10.0]") == consensus.npos);
  CHECK(consensus.find("[100.0]") == consensus.rfind('['));
}

TEST_CASE("run directory: its models are the mean and the peers'") {
  const DataFolder folder;
  const auto experiment = quadratic_experiment<double>("d-psgd", "ring", 3, 4);
  RunDirectory directory(folder.path() / "out", EarlierOutput::refused);
  RunControl control;
  control.on_evaluation = [&](const Evaluation& evaluation) {
    directory.append(experiment.settings, evaluation);
  };
  const RunOutcome<double> outcome = simulate(experiment, Duration{0}, control);
  directory.save_models(outcome, SaveModels::peers);
  directory.finish(summarize(experiment, outcome, Driver::simulator));
  const auto read = [&](const std::string& name) { return read_npy<double>(directory.path() / name).values; };
  CHECK(read("model.npy") == outcome.mean_model);
  for (std::size_t id = 0; id < 3; ++id)
    CHECK(read("model-" + std::to_string(id) + ".npy") == outcome.models[id]);
}

TEST_CASE("run directory: under run.keep = \"best\" model.npy is the best model") {
  const DataFolder folder;
  auto experiment = quadratic_experiment<double>("d-psgd", "ring", 3, 4);
  experiment.settings.run.keep = RunSettings::Run::Keep::best;
  RunDirectory directory(folder.path() / "out", EarlierOutput::refused);
  directory.append(experiment.settings, {});
  RunOutcome<double> outcome = simulate(experiment, Duration{0});
  outcome.best_model = Vector<double>::Constant(4, 7.0);
  directory.save_models(outcome, SaveModels::mean);
  directory.finish(summarize(experiment, outcome, Driver::simulator));
  CHECK(read_npy<double>(directory.path() / "model.npy").values == outcome.best_model);
}

TEST_CASE("run directory: the best model of a run that was cut off is found again, the newest one") {
  const DataFolder folder;
  const RunSettings settings;
  {
    RunDirectory directory(folder.path() / "out", EarlierOutput::refused);
    for (const std::uint64_t iteration : {0, 10, 20, 30}) {
      Evaluation evaluation;
      evaluation.iteration = iteration;
      evaluation.loss = 1.0 / static_cast<double>(1 + iteration);
      directory.append(settings, evaluation);
      if (iteration == 30) continue;
      const Vector<float> model = Vector<float>::Constant(3, static_cast<float>(iteration));
      const auto bytes = std::as_bytes(view(model));
      directory.keep_best<float>({evaluation, {bytes.begin(), bytes.end()}});
    }
  }
  CHECK(std::filesystem::exists(folder.path() / "out/model-best-20.npy"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "out/model-best-10.npy"));
  folder.write("out/model-best-40.npy", "of an evaluation that the record does not have");
  folder.write("out/model-best-x.npy", "of none");
  RunDirectory directory(folder.path() / "out", EarlierOutput::continued);
  const auto kept = directory.kept_best<float>();
  REQUIRE(kept);
  CHECK(kept->of.iteration == 20);
  CHECK(kept->of.loss == 1.0 / 21.0);
  const Vector<float> expected = Vector<float>::Constant(3, 20.0f);
  CHECK(std::ranges::equal(kept->model, std::as_bytes(view(expected))));
}

TEST_CASE("run directory: a best model that cannot be read is said, and does not stop a run from going on") {
  const DataFolder folder;
  {
    RunDirectory directory(folder.path() / "out", EarlierOutput::refused);
    directory.append(RunSettings{}, Evaluation{});
  }
  folder.write("out/model-best-0.npy", "damaged");
  std::string said;
  const RunDirectory directory(folder.path() / "out", EarlierOutput::continued,
                               [&](const std::string& sentence) { said = sentence; });
  CHECK_FALSE(directory.kept_best<float>().has_value());
  CHECK(said.find("model-best-0.npy") != std::string::npos);
}

TEST_CASE("run directory: a point of a sweep touches no folder before the sweep has made its own") {
  const DataFolder folder;
  folder.write("out/a/summary.json", "{}");
  // Another point may remove the earlier output meanwhile; even a lock in there would be in the way.
  RunDirectory directory(folder.path() / "out/a/seed-1", EarlierOutput::left_to_the_sweep);
  RunDirectory there(folder.path() / "out/a", EarlierOutput::left_to_the_sweep);
  create_output(folder.path() / "out", true);
  directory.append(RunSettings{}, Evaluation{});
  CHECK(std::filesystem::exists(folder.path() / "out/a/seed-1/run.toml"));
}

TEST_CASE("run directory: a run without an evaluation leaves nothing behind") {
  const DataFolder folder;
  const auto experiment = quadratic_experiment<float>("d-psgd", "ring", 2, 4);
  RunDirectory directory(folder.path() / "out", EarlierOutput::refused);
  RunOutcome<float> lost;
  lost.status = RunStatus::lost;
  directory.save_models(lost, SaveModels::mean);
  directory.finish(summarize(experiment, lost, Driver::zmq));
  CHECK_FALSE(std::filesystem::exists(directory.path()));
}

TEST_CASE(
    "output: existing files, folders and links are refused, an earlier output is not when overwriting") {
  const DataFolder folder;
  folder.write("file", "");
  std::filesystem::create_directory(folder.path() / "empty");
  std::filesystem::create_directory(folder.path() / "foreign");
  folder.write("foreign/notes", "");
  std::filesystem::create_directory(folder.path() / "earlier");
  folder.write("earlier/metrics.jsonl", "");
  std::filesystem::create_symlink("nowhere", folder.path() / "dangling");
  for (const char* name : {"file", "empty", "foreign", "earlier", "dangling"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(require_free_output(folder.path() / name, false), Misuse);
  }
  for (const char* name : {"file", "foreign", "dangling"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(require_free_output(folder.path() / name, true), Misuse);
  }
  CHECK_THROWS_AS(require_free_output(folder.path() / "file/below", false), Misuse);
  CHECK_NOTHROW(require_free_output(folder.path() / "empty", true));
  CHECK_NOTHROW(create_output(folder.path() / "earlier", true));
  CHECK(std::filesystem::is_empty(folder.path() / "earlier"));
}

TEST_CASE("output: overwriting never removes a file that is not ours, beside or below an earlier output") {
  const DataFolder folder;
  std::filesystem::create_directories(folder.path() / "mixed");
  folder.write("mixed/metrics.jsonl", "");
  folder.write("mixed/thesis.tex", "");
  std::filesystem::create_directories(folder.path() / "sweep/DCD-4-bit");
  folder.write("sweep/DCD-4-bit/summary.json", "");
  folder.write("sweep/sweep.json", "");
  CHECK_NOTHROW(require_free_output(folder.path() / "sweep", true));
  folder.write("sweep/DCD-4-bit/plot.py", "");
  std::filesystem::create_directories(folder.path() / "own");
  folder.write("own/run.toml", "");
  for (const char* name : {"mixed", "sweep", "own"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(create_output(folder.path() / name, true), Misuse);
  }
  CHECK(std::filesystem::exists(folder.path() / "mixed/thesis.tex"));
  CHECK(std::filesystem::exists(folder.path() / "sweep/DCD-4-bit/plot.py"));
}

}  // namespace hearsay::test::run_directory_test

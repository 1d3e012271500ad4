#include "runtime/record/kept_models.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "runtime/data/npy.hpp"
#include "runtime/record/run_directory.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::kept_models_test {

namespace {

/// Simulates with `keep`, into `output`.
RunOutcome<double> kept_run(const std::filesystem::path& output, RunSettings::Run::KeepModels keep,
                            const std::string& method = "d-psgd", const std::string& topology = "ring") {
  auto experiment = quadratic_experiment<double>(method, topology, 3, 4);
  experiment.settings.run.keep_models = keep;
  RunDirectory directory(output, EarlierOutput::refused);
  RunControl control;
  control.on_evaluation = [&](const Evaluation& evaluation) {
    directory.append(experiment.settings, evaluation);
  };
  control.on_models = [&](const ModelSet& models) { directory.keep<double>(experiment.settings, models); };
  RunOutcome<double> outcome = simulate(experiment, Duration{0}, control);
  directory.save_models(outcome, SaveModels::mean);
  directory.finish({{"status", "interrupted"}});
  return outcome;
}

}  // namespace

TEST_CASE(
    "kept models: every N-th iteration is in the index, and its model in a file, from x_0 to the last") {
  const DataFolder folder;
  const auto output = folder.path() / "out";
  const RunOutcome<double> outcome = kept_run(output, {.every = 20});
  const std::vector<KeptIteration> index = kept_models(output);
  const std::uint64_t last = outcome.evaluations.back().iteration;
  REQUIRE(index.size() == kept_iterations({.every = 20}, last));
  for (std::size_t k = 0; k < index.size(); ++k) {
    CHECK(index[k].iteration == 20 * k);
    CHECK(index[k].of == "mean");
    REQUIRE(index[k].files.size() == 1);
  }
  REQUIRE(index.back().iteration == last);
  CHECK(read_npy<double>(output / models_folder / *index.back().files[0]).values == outcome.mean_model);
}

TEST_CASE("kept models: with \"peers\" there is a file a peer, whose mean is the mean model") {
  const DataFolder folder;
  kept_run(folder.path() / "peers", {.every = 10, .of_peers = true});
  kept_run(folder.path() / "mean", {.every = 10});
  const auto of_peers = kept_models(folder.path() / "peers");
  const auto of_mean = kept_models(folder.path() / "mean");
  REQUIRE(of_peers.size() == of_mean.size());
  const auto read = [&](const char* run, const std::string& file) {
    return read_npy<double>(folder.path() / run / models_folder / file).values;
  };
  for (std::size_t k = 0; k < of_peers.size(); ++k) {
    CHECK(of_peers[k].of == "peers");
    REQUIRE(of_peers[k].files.size() == 3);
    Vector<double> sum = Vector<double>::Zero(4);
    for (const auto& file : of_peers[k].files) sum += read("peers", *file);
    CHECK((sum / 3.0 - read("mean", *of_mean[k].files[0])).norm() < 1e-12);
  }
}

TEST_CASE("kept models: a run that goes on keeps the lines from before, and a damaged line ends the index") {
  const DataFolder folder;
  const auto output = folder.path() / "out";
  kept_run(output, {.every = 5});
  REQUIRE(kept_models(output).size() == 5);
  std::filesystem::remove(output / "summary.json");  // as a run does that goes on
  LineChecksum checksum = forget_models_from(output, 10);
  CHECK(kept_models(output).size() == 2);
  RunSettings settings;
  settings.run.keep_models = {.every = 5};
  keep_models<double>(output, settings, {.iteration = 10, .models = {std::vector<std::byte>(32)}}, checksum);
  CHECK(kept_models(output).size() == 3);
  CHECK(forget_models_from(output, 10).text() == forget_models_from(output, 10).text());
  folder.write("out/models/index.jsonl", content_of(output / "models/index.jsonl") + "{\"iteration\":2");
  CHECK(kept_models(output).size() == 2);
}

TEST_CASE("kept models: an output with them may be overwritten, and one without says what it lacks") {
  const DataFolder folder;
  kept_run(folder.path() / "out", {.every = 10});
  CHECK_NOTHROW(require_free_output(folder.path() / "out", true));
  kept_run(folder.path() / "none", {});
  CHECK_FALSE(std::filesystem::exists(folder.path() / "none/models"));
  CHECK(misuse_text([&] { kept_models(folder.path() / "none"); }).find("run.keep_models") !=
        std::string::npos);
}

TEST_CASE("kept models: an index that lacks lines at its end is refused once the run has ended") {
  const DataFolder folder;
  const auto output = folder.path() / "out";
  kept_run(output, {.every = 5});
  const std::string whole = content_of(output / "models/index.jsonl");
  const auto resume = [&] { return misuse_text([&] { RunDirectory(output, EarlierOutput::continued); }); };
  const auto read = [&] { return misuse_text([&] { kept_models(output); }); };
  CHECK(resume().empty());
  CHECK(read().empty());
  const std::string said = "index.jsonl, line 4: it is not the last line of the run";
  folder.write("out/models/index.jsonl", whole.substr(0, whole.rfind('\n', whole.size() - 2) + 1));
  CHECK(contains(resume(), said));
  CHECK(contains(resume(), "or --overwrite instead of --resume"));
  CHECK(contains(read(), said));
  folder.write("out/models/index.jsonl", whole.substr(0, whole.size() - 20));  // within the last line
  CHECK(contains(resume(), said));
  CHECK(contains(read(), said));
  folder.write("out/models/index.jsonl", "");
  CHECK(contains(resume(), "index.jsonl"));
  CHECK(contains(read(), "index.jsonl"));
  folder.write("out/summary.json", "{\"status\":\"interrupted\"}");  // of an earlier version
  folder.write("out/models/index.jsonl", whole.substr(0, whole.find('\n') + 1));
  CHECK(resume().empty());
  CHECK(kept_models(output).size() == 1);
}

TEST_CASE("kept models: a run that goes on tells the end of its index anew, and one without an index none") {
  const DataFolder folder;
  const auto output = folder.path() / "out";
  const RunOutcome<double> outcome = kept_run(output, {.every = 5});
  const auto told = [&](const char* run) {
    return nlohmann::json::parse(content_of(folder.path() / run / "summary.json"))["crc32_of"];
  };
  const nlohmann::json before = told("out");
  {
    RunDirectory directory(output, EarlierOutput::continued);
    directory.begin({}, 10);
    directory.append({}, outcome.evaluations.back());
    directory.save_models(outcome, SaveModels::mean);
    directory.finish({{"status", "interrupted"}});
  }
  CHECK(told("out")["models/index.jsonl"] != before["models/index.jsonl"]);
  CHECK(kept_models(output).size() == 2);
  kept_run(folder.path() / "none", {});
  CHECK_FALSE(told("none").contains("models/index.jsonl"));
}

TEST_CASE("kept models: a line that found no room leaves an index whose other lines are whole") {
  const DataFolder folder;
  const auto output = folder.path() / "out";
  const auto index = output / models_folder / "index.jsonl";
  std::filesystem::create_directory(output);
  LineChecksum checksum;
  const auto keep = [&](std::uint64_t iteration) {
    keep_models<double>(output, {}, {.iteration = iteration, .models = {std::vector<std::byte>(32)}},
                        checksum);
  };
  for (std::uint64_t iteration = 0; iteration < 5; ++iteration) keep(iteration);
  {
    const auto bytes = std::filesystem::file_size(index);
    REQUIRE(bytes > 300);  // a model has less
    const FullDisk full(bytes + 10);
    CHECK(contains(misuse_text([&] { keep(5); }), "index.jsonl"));
  }
  keep(6);
  const std::vector<KeptIteration> kept = kept_models(output);
  REQUIRE(kept.size() == 6);
  CHECK(kept.back().iteration == 6);
}

TEST_CASE("kept models: what cannot be written is said, and the run goes on") {
  const DataFolder folder;
  const auto experiment = quadratic_experiment<double>("d-psgd", "ring", 3, 4);
  std::string said;
  RunDirectory directory(folder.path() / "out", EarlierOutput::refused,
                         [&](const std::string& sentence) { said = sentence; });
  directory.append(experiment.settings, {});
  folder.write("out/models", "a file");
  directory.keep<double>(experiment.settings, {.iteration = 10, .models = {std::vector<std::byte>(32)}});
  CHECK(said.find("training goes on without the models of iteration 10") != std::string::npos);
}

}  // namespace hearsay::test::kept_models_test

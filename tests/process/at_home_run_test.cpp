#include <doctest/doctest.h>

#include "runtime/process/local_run.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/private_files.hpp"

namespace hearsay::test::at_home_run_test {

namespace {

/// Checks that two runs have the same evaluations, to the last bit, and the same models.
template <class Scalar>
void check_same(const RunOutcome<Scalar>& one, const RunOutcome<Scalar>& other) {
  REQUIRE(one.status == RunStatus::done);
  REQUIRE(one.evaluations.size() == other.evaluations.size());
  for (std::size_t k = 0; k < one.evaluations.size(); ++k) {
    CHECK(one.evaluations[k].loss == other.evaluations[k].loss);
    CHECK(one.evaluations[k].accuracy == other.evaluations[k].accuracy);
    CHECK(one.evaluations[k].epoch == other.evaluations[k].epoch);
    CHECK(one.evaluations[k].consensus_distance == other.evaluations[k].consensus_distance);
  }
  CHECK(one.mean_model == other.mean_model);
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("at home: three processes with private files end with the losses of the pooled run") {
    const PrivateFiles files;
    const auto pooled = run_local(prepare<float>(files.pooled()));
    const auto at_home = prepare<float>(files.at_home());
    const auto private_run = run_local(at_home);
    check_same(private_run, pooled);
    check_same(private_run, simulate(at_home, Duration{1000}));
    CHECK(private_run.loss_samples == 90);
    CHECK(private_run.judged == JudgedSamples{.are_test = false, .count = 90});
    // Models up, questions down, answers: 64 bytes of header each; 15 floats in all but the question on x_0,
    // 32 bytes of score.
    constexpr std::uint64_t model = 64 + 15 * 4;
    const std::uint64_t evaluations = private_run.evaluations.size();
    CHECK(private_run.evaluations.back().evaluation_bytes ==
          3 * (2 * (evaluations - 1) * model + 64 + evaluations * (64 + 32)));
  }

  TEST_CASE("own: processes that keep their models write them, and judge them as the simulator does") {
    const PrivateFiles files;
    RunSettings settings = files.at_home();
    settings.run.evaluate = RunSettings::Run::Evaluate::own;
    settings.run.output = files.folder.path() / "own";
    const auto experiment = prepare<float>(settings);
    const auto run = run_local(experiment);
    const auto simulated = simulate(experiment, Duration{1000});
    REQUIRE(run.evaluations.size() == simulated.evaluations.size());
    for (std::size_t k = 0; k < run.evaluations.size(); ++k) {
      CHECK(run.evaluations[k].loss == simulated.evaluations[k].loss);
      CHECK(run.evaluations[k].accuracy == simulated.evaluations[k].accuracy);
      CHECK(run.evaluations[k].consensus_distance == simulated.evaluations[k].consensus_distance);
    }
    CHECK(run.mean_model.size() == 0);
    for (const char* const file : {"model-0.npy", "model-1.npy", "model-2.npy"})
      CHECK(std::filesystem::exists(settings.run.output / file));
  }
}

}  // namespace hearsay::test::at_home_run_test

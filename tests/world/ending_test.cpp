#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "tests/world/dropping_runs.hpp"

namespace hearsay::test::ending_test {

using namespace std::chrono_literals;

// How processes end that are told to, or have to, while the run is on.

namespace {

constexpr PeerId peers = 5;
constexpr PeerId observer = peers;

Experiment<double> waiting() {
  return quadratics_in<double>({.family = "ring", .peers = peers}, "d-psgd", {.iterations = 4000});
}

/// An objective whose 40th gradient fails.
class BadSample final : public Objective<double> {
 public:
  explicit BadSample(Index dimension) : dimension_(dimension) {}
  Index dimension() const override { return dimension_; }
  Index sample_count() const override { return 1; }
  double loss(const Vector<double>&) const override { return 0.0; }
  void gradient(const Vector<double>&, std::span<const Index>, Vector<double>& gradient) const override {
    if (++asked_ == 40) throw std::runtime_error("a bad sample");
    gradient = Vector<double>::Zero(dimension_);
  }

 private:
  Index dimension_;
  mutable int asked_ = 0;
};

/// Returns a run under policy "drop" whose objectives pass for programs; that of peer 2 fails.
Experiment<double> of_programs(RunSettings::Failure::Program policy) {
  auto experiment = dropping("d-psgd", {.family = "ring", .peers = peers}, 600);
  experiment.problem.objectives[2] = std::make_unique<BadSample>(experiment.problem.dimension());
  experiment.settings.model.kind = "program";
  experiment.settings.failure.program = policy;
  return experiment;
}

bool contains(const std::string& text, const std::string& words) {
  return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("ending: an interrupt at one peer ends the run at all, and each has told its result before") {
  const auto experiment = waiting();
  FaultyCluster cluster(experiment, 3, {});
  cluster.interrupt(2, 60ms);
  std::vector<PeerId> tellers;
  cluster.network().overhears = [&](PeerId from, PeerId, const FrameHeader& header,
                                    std::span<const std::byte>) {
    if (header.kind == FrameKind::result) tellers.push_back(from);
  };
  REQUIRE(cluster.run_to_the_end(1s));
  CHECK(cluster.outcome().status == RunStatus::interrupted);
  std::ranges::sort(tellers);
  CHECK(tellers == std::vector<PeerId>{0, 1, 2, 3, 4});
  for (PeerId id = 0; id < peers; ++id) {
    CAPTURE(id);
    CHECK(cluster.end(id)->exit_code == 130);
    CHECK(cluster.peer(id)->iteration() < 4000);
  }
}

TEST_CASE("ending: an interrupted peer that hears nothing of the observer stays for five seconds, no more") {
  const auto experiment = waiting();
  FaultyCluster cluster(experiment, 3, {});
  cluster.cut(2, observer, 50ms, 1min);
  cluster.interrupt(2, 60ms);
  cluster.run(5s);
  CHECK(!cluster.end(2));
  cluster.run(5300ms);  // it looks around every 200 ms
  REQUIRE(cluster.end(2).has_value());
  CHECK(cluster.end(2)->exit_code == 130);
}

TEST_CASE("ending: a process that is asked to end says so to its neighbors, which go on without it at once") {
  const auto experiment = dropping("d-psgd", {.family = "ring", .peers = peers}, 600);
  for (const bool observer_hears : {true, false}) {
    CAPTURE(observer_hears);
    FaultyCluster cluster(experiment, 3, {});
    if (!observer_hears) cluster.cut(2, observer, 50ms, 1min);
    cluster.leave(2, 60ms);
    cluster.run(70ms);
    REQUIRE(cluster.end(2).has_value());
    CHECK(cluster.end(2)->exit_code == 130);
    CHECK(cluster.end(2)->run_goes_on);
    CHECK(cluster.parted == 2);
    REQUIRE(cluster.run_to_the_end(long_enough));
    CHECK(cluster.outcome().status == RunStatus::done);
    CHECK(cluster.outcome().dropped == std::vector<PeerId>{2});
    for (const PeerId id : {0u, 1u, 3u, 4u}) CHECK(cluster.peer(id)->iteration() == 600);
  }
}

TEST_CASE("ending: a hub without a standby that is asked to end takes the run along") {
  RunSettings settings =
      settings_of("ef21", {.family = "star", .peers = peers}, {.iterations = 4000, .step_size = 0.002});
  settings.failure.policy = RunSettings::Failure::Policy::drop;
  settings.failure.lost_after = 200ms;
  const auto experiment =
      prepare<double>(settings, quadratic_problem<double>(5, {1, 2, 3, 4, 5}, Shared::nothing));
  FaultyCluster cluster(experiment, 3, {});
  cluster.leave(0, 60ms);
  REQUIRE(cluster.run_to_the_end(1s));
  CHECK(cluster.outcome().status == RunStatus::interrupted);
  for (PeerId id = 0; id < peers; ++id) CHECK(cluster.end(id)->exit_code == 130);
}

TEST_CASE("ending: a program that fails leaves the run to the others, or ends it, as failure.program says") {
  using Program = RunSettings::Failure::Program;
  const auto dropped = of_programs(Program::drop);
  FaultyCluster goes_on(dropped, 3, {});
  REQUIRE(goes_on.run_to_the_end(long_enough));
  CHECK(goes_on.outcome().status == RunStatus::done);
  CHECK(goes_on.outcome().dropped == std::vector<PeerId>{2});
  CHECK(goes_on.end(2)->exit_code == 3);
  CHECK(contains(goes_on.end(2)->reason, "its objective failed in iteration "));

  const auto ended = of_programs(Program::end);
  FaultyCluster ends(ended, 3, {});
  REQUIRE(ends.run_to_the_end(long_enough));
  CHECK(ends.outcome().status == RunStatus::lost);
  CHECK(contains(ends.outcome().reason, "peer 2: its objective failed in iteration "));
  CHECK(contains(ends.outcome().reason, ": a bad sample"));
}

}  // namespace hearsay::test::ending_test

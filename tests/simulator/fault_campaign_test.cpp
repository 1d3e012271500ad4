#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/record/summary.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::fault_campaign_test {

using namespace std::chrono_literals;

// Runs with faults drawn at random, one seed each. What a fault may do is up to the policy. No fault may make
// a run hang, end without a reason, or leave a wrong model.

namespace {

constexpr PeerId peers = 6;

Fault random_fault(RandomStream& random, bool may_stay_away) {
  Fault fault;
  fault.at = Duration(random.below(500'000'000));
  fault.kind = static_cast<Fault::Kind>(random.below(3));
  fault.lasts = Duration(20'000'000 + random.below(500'000'000));
  fault.peers = {static_cast<PeerId>(random.below(peers))};
  if (fault.kind == Fault::Kind::partition && random.below(2) == 0) fault.peers = {1, 2, 3};
  if (may_stay_away && fault.kind == Fault::Kind::death && random.below(3) == 0) fault.lasts.reset();
  return fault;
}

std::vector<FaultTable> random_faults(RandomStream& random, bool may_stay_away) {
  std::vector<FaultTable> faults;
  for (std::uint64_t k = 1 + random.below(4); k > 0; --k)
    faults.emplace_back(random_fault(random, may_stay_away));
  return faults;
}

Experiment<double> experiment_of(const std::string& method, const std::string& failure) {
  const std::string kind = find_method(method).pattern.has_hub ? "star" : "ring";
  return experiment_from<double>(
      "run.iterations = 60\nrun.evaluate_every = 5\nmodel.kind = \"quadratic(10)\"\n"
      "topology.kind = \"" +
      kind +
      "\"\ntopology.peers = 6\n"
      "network.latency = \"2 ms\"\nnetwork.compute = \"lognormal(10 ms, 0.3)\"\n"
      "algorithm.batch = \"full\"\nalgorithm.step_size = 0.01\nalgorithm.kind = \"" +
      method + "\"\n" + failure);
}

std::string random_method(RandomStream& random) { return methods()[random.below(methods().size())].name; }

bool is_same_end(const RunOutcome<double>& a, const RunOutcome<double>& b) {
  return a.mean_model == b.mean_model && a.evaluations.size() == b.evaluations.size() &&
         std::ranges::equal(a.evaluations, b.evaluations, {}, &Evaluation::loss, &Evaluation::loss);
}

}  // namespace

TEST_CASE(
    "fault campaign: with checkpoints a run ends with the bits of an undisturbed one, or says who was lost") {
  int same = 0, lost = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, 0, 0, Purpose::faults);
    const std::string method = random_method(random);
    CAPTURE(method);
    if (find_method(method).asynchronous) continue;
    auto experiment =
        experiment_of(method, "failure.checkpoint_every = 7\nfailure.lost_after = \"400 ms\"\n");
    const RunOutcome<double> undisturbed = simulate(experiment, 1ms);
    experiment.settings.faults = random_faults(random, false);
    const RunOutcome<double> outcome = simulate(experiment, 1ms);
    CAPTURE(outcome.reason);
    if (outcome.status == RunStatus::lost) {
      ++lost;
      CHECK(outcome.reason.find("lost: it has said nothing for ") != std::string::npos);
      continue;
    }
    ++same;
    CHECK(outcome.status == RunStatus::done);
    CHECK(is_same_end(outcome, undisturbed));
    CHECK(replicas_consistent(outcome.peers) == replicas_consistent(undisturbed.peers));
  }
  CHECK(same > 100);
  CHECK(lost > 20);
}

TEST_CASE(
    "fault campaign: under \"drop\" a run ends, with the same bits each time, and wrong replicas nowhere") {
  int done = 0, lost = 0, changed = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, 1, 0, Purpose::faults);
    const std::string method = random_method(random);
    CAPTURE(method);
    std::optional<Experiment<double>> experiment;
    try {
      experiment.emplace(
          experiment_of(method, "failure.policy = \"drop\"\nfailure.lost_after = \"200 ms\"\n"));
    } catch (const Misuse&) {
      continue;  // it cannot drop a peer
    }
    const RunOutcome<double> undisturbed = simulate(*experiment, 1ms);
    experiment->settings.faults = random_faults(random, true);
    const RunOutcome<double> outcome = simulate(*experiment, 1ms);
    CAPTURE(outcome.reason);
    CHECK((outcome.status == RunStatus::done || outcome.status == RunStatus::lost));
    CHECK((outcome.status == RunStatus::done) == outcome.reason.empty());
    ++(outcome.status == RunStatus::done ? done : lost);
    changed += outcome.mean_model != undisturbed.mean_model;
    CHECK(std::isfinite(outcome.evaluations.back().loss));
    CHECK(replicas_consistent(outcome.peers) != std::optional(false));
    const RunOutcome<double> again = simulate(*experiment, 1ms);
    CHECK(is_same_end(outcome, again));
    CHECK(again.seconds == outcome.seconds);
    CHECK(again.dropped == outcome.dropped);
  }
  CHECK(done > 50);
  CHECK(changed > 30);
}

}  // namespace hearsay::fault_campaign_test

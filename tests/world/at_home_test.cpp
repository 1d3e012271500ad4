#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "algorithms/methods/registry.hpp"
#include "runtime/experiment/run_agreement.hpp"
#include "runtime/record/json.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/worlds.hpp"
#include "tests/world/faulty_cluster.hpp"
#include "tests/world/same_end.hpp"

namespace hearsay::test::at_home_test {

using namespace std::chrono_literals;

namespace {

constexpr Duration long_enough = std::chrono::hours(1);  // of virtual time

using Evaluate = RunSettings::Run::Evaluate;

Experiment<double> at_home(const std::string& method, std::uint64_t iterations,
                           Evaluate evaluate = Evaluate::mean) {
  auto experiment = quadratics_in<double>({.family = "ring", .peers = 4}, method, {.iterations = iterations});
  experiment.settings.run.evaluate_every = 3;
  experiment.settings.run.evaluate = evaluate;
  experiment.problem.at_home = true;
  return experiment;
}

/// What the bytes of a payload are.
struct Accounts {
  std::map<FrameKind, std::uint64_t> frames;
  std::map<std::uint64_t, std::uint64_t> questions;  ///< by iteration
  std::uint64_t unexplained = 0;  ///< bytes that are nothing of what the README of the wire lists
};

/// Returns the accounts of a run. Every payload must be the one that its kind has, and as long as that.
Accounts accounts_of(const Experiment<double>& experiment) {
  Accounts accounts;
  const std::size_t model_bytes = 8 * static_cast<std::size_t>(experiment.problem.dimension());
  const std::vector<std::byte> agreement = encode_agreement(agreement_of(experiment));
  const bool own = experiment.settings.run.evaluate == Evaluate::own;
  FaultyCluster cluster(experiment, 5, {});
  const PeerId observer = experiment.peer_count();
  cluster.network().overhears = [&](PeerId, PeerId to, const FrameHeader& header,
                                    std::span<const std::byte> payload) {
    ++accounts.frames[header.kind];
    const bool is_explained = [&] {
      switch (header.kind) {
        case FrameKind::hello:
          return std::ranges::equal(payload, agreement);
        case FrameKind::data:  // without a compressor, a model or what replaces it
          return payload.size() == model_bytes;
        case FrameKind::evaluation:
          return own ? decode_own_snapshot(payload).has_value()
                     : decode_snapshot<double>(payload, experiment.problem.dimension()).has_value();
        case FrameKind::question:
          ++accounts.questions[header.iteration];
          return payload.size() == model_bytes;
        case FrameKind::answer:
          return decode_score(payload).has_value();
        case FrameKind::result:
          return decode_outcome(payload).has_value();
        case FrameKind::alive:  // to the observer: which questions are being answered
          if (to == observer)
            return payload.size() % 8 == 0 && payload.size() <= 8 * accounts.questions.size();
          [[fallthrough]];
        case FrameKind::ready:  // for whom somebody waits, in words
          return payload.empty() || printable_text(payload).find("peer") != std::string::npos;
        default:
          return payload.empty();
      }
    }();
    if (!is_explained) accounts.unexplained += payload.size();
  };
  REQUIRE(cluster.run(long_enough));
  return accounts;
}

}  // namespace

TEST_CASE(
    "at home: peers that are asked for their losses end with the losses of the observer that has all data") {
  for (const MethodInfo& method : methods()) {
    if (method.asynchronous) continue;
    CAPTURE(method.name);
    const auto experiment = at_home(method.name, 40);
    FaultyCluster cluster(experiment, 7, {.loss = 0.05, .repeat = 0.05, .overtake = 0.05});
    REQUIRE(cluster.run(long_enough));
    CHECK(cluster.network().lost > 10);
    CHECK(cluster.judged >= 4 * cluster.outcome().evaluations.size());
    check_same_end(cluster.outcome(), simulate(experiment, Duration{1000}));
  }
}

TEST_CASE("at home: questions and answers survive the death of peers and of the observer, with every bit") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    const TemporaryFolder folder("hearsay_at_home");
    auto experiment = at_home("dcd-psgd", 40);
    experiment.settings.failure.checkpoint_every = 7;
    FaultyCluster cluster(experiment, seed, {.loss = 0.03, .repeat = 0.03, .overtake = 0.03}, folder.path());
    cluster.crash(2, std::chrono::milliseconds(20 + 40 * seed), std::chrono::milliseconds(30 + 40 * seed));
    if (seed % 2 == 0)
      cluster.crash_first(std::chrono::milliseconds(900 + 20 * seed),
                          std::chrono::milliseconds(930 + 20 * seed));
    REQUIRE(cluster.run(long_enough));
    check_same_end(cluster.outcome(), simulate(experiment, Duration{1000}));
  }
}

TEST_CASE("at home: a peer that is dropped owes no answer, and the loss is that of those that are left") {
  auto experiment = at_home("d-psgd", 60);
  experiment.settings.failure.policy = RunSettings::Failure::Policy::drop;
  experiment.settings.failure.lost_after = 2s;
  FaultyCluster cluster(experiment, 3, {});
  cluster.lose(2, 1s);
  REQUIRE(cluster.run(long_enough));
  const RunOutcome<double> outcome = cluster.outcome();
  CHECK(outcome.status == RunStatus::done);
  CHECK(outcome.dropped == std::vector<PeerId>{2});
  REQUIRE(outcome.evaluations.back().iteration == 60);
  double sum = 0.0;
  for (const PeerId id : {0u, 1u, 3u}) sum += experiment.problem.objectives[id]->loss(outcome.mean_model);
  CHECK(outcome.evaluations.back().loss == sum / 3.0);
}

TEST_CASE("at home: every byte of every frame is accounted for, and none is of a sample") {
  const Accounts accounts = accounts_of(at_home("d-psgd", 30));
  CHECK(accounts.unexplained == 0);
  CHECK(accounts.frames.at(FrameKind::data) == 30 * 4 * 2);
  CHECK(accounts.frames.at(FrameKind::evaluation) == 10 * 4);
  CHECK(accounts.questions.size() == 11);
  for (const auto& [iteration, count] : accounts.questions)
    CHECK(count >= 4);  // some are repeated at the start
}

TEST_CASE("at home: under run.evaluate = \"own\" no model goes to the observer or comes from it, but x_0") {
  const Accounts accounts = accounts_of(at_home("d-psgd", 30, Evaluate::own));
  CHECK(accounts.unexplained == 0);
  CHECK(accounts.frames.at(FrameKind::evaluation) == 10 * 4);
  CHECK(accounts.questions.size() == 1);
  CHECK(accounts.questions.contains(0));  // on x_0, which all have
}

TEST_CASE("own: the loss is the mean of the peers' own losses, in the simulator and in a cluster alike") {
  const auto experiment = at_home("d-psgd", 30, Evaluate::own);
  FaultyCluster cluster(experiment, 5, {});
  REQUIRE(cluster.run(long_enough));
  const RunOutcome<double> simulated = simulate(experiment, Duration{1000});
  check_same_end(cluster.outcome(), simulated);
  CHECK(cluster.outcome().mean_model.size() == 0);
  REQUIRE(simulated.models.size() == 4);
  double sum = 0.0;
  for (PeerId id = 0; id < 4; ++id) sum += experiment.problem.objectives[id]->loss(simulated.models[id]);
  CHECK(simulated.evaluations.back().loss == sum / 4.0);
}

}  // namespace hearsay::test::at_home_test

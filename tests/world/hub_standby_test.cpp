#include <doctest/doctest.h>

#include <algorithm>

#include "algorithms/methods/registry.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/world/dropping_runs.hpp"

namespace hearsay::test::hub_standby_test {

using namespace std::chrono_literals;

// A hub with a standby (failure.hub_standby): whatever becomes of the hub, the run ends as if nothing had
// happened.

namespace {

constexpr PeerId peers = 6;
constexpr PeerId standby = 2;

std::vector<std::string> methods_with_standby() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods())
    if (method.pattern.has_hub && goes_on_without(method.membership)) names.push_back(method.name);
  REQUIRE(names.size() > 10);
  return names;
}

/// Returns a run of a dedicated hub and its workers, with failure.lost_after = 200 ms.
template <class Scalar = double>
Experiment<Scalar> star(const std::string& method, std::uint64_t iterations, std::optional<PeerId> stands_by,
                        std::uint64_t evaluate_every = 10) {
  RunSettings settings =
      settings_of(method, {.family = "star", .peers = peers}, {.iterations = iterations, .step_size = 0.002});
  settings.failure.policy = RunSettings::Failure::Policy::drop;
  settings.failure.lost_after = 200ms;
  settings.failure.hub_standby = stands_by;
  settings.topology.hub = HubData::none;
  settings.run.evaluate_every = evaluate_every;
  std::vector<PeerId> workers;
  for (PeerId id = 1; id < peers; ++id) workers.push_back(id);
  return prepare<Scalar>(settings, quadratic_problem<Scalar>(5, workers, Shared::nothing));
}

struct Ended {
  RunOutcome<double> outcome;
  Vector<double> hub;  ///< the model of the hub, whoever that was at the end
};

/// Runs with the given faults, in the given weather.
template <class Faults>
Ended ended(const std::string& method, std::uint64_t iterations, std::uint64_t seed, Weather weather,
            const Faults& faults) {
  const auto experiment = star(method, iterations, standby);
  FaultyCluster cluster(experiment, seed, weather);
  faults(cluster);
  REQUIRE(cluster.run(long_enough));
  return {cluster.outcome(), cluster.outcome().mean_model};
}

const auto nothing = [](FaultyCluster&) {};

bool same_losses(const RunOutcome<double>& a, const RunOutcome<double>& b) {
  return std::ranges::equal(a.evaluations, b.evaluations, {}, &Evaluation::loss, &Evaluation::loss);
}

}  // namespace

TEST_CASE_TEMPLATE("hub standby: while all live, a standby changes no bit", Scalar, float, double) {
  for (const std::string& method : methods_with_standby()) {
    CAPTURE(method);
    const RunOutcome<Scalar> with = simulate(star<Scalar>(method, 60, standby), 1ms);
    const RunOutcome<Scalar> without = simulate(star<Scalar>(method, 60, std::nullopt), 1ms);
    REQUIRE(with.evaluations.size() == without.evaluations.size());
    for (std::size_t k = 0; k < with.evaluations.size(); ++k)
      CHECK(with.evaluations[k].loss == without.evaluations[k].loss);
    CHECK(with.mean_model == without.mean_model);
    for (PeerId id = 0; id < peers; ++id)
      if (id != standby) CHECK(with.models[id] == without.models[id]);
    CHECK(with.models[standby] == with.models[0]);  // it tells of the hub's model
    CHECK((with.mean_model - star<Scalar>(method, 60, standby).problem.initial).norm() > 1e-3);
  }
}

TEST_CASE("hub standby: a hub that is killed at any time changes no bit, whatever the method") {
  for (const std::string& method : methods_with_standby()) {
    CAPTURE(method);
    const Ended undisturbed = ended(method, 200, 3, {}, nothing);
    REQUIRE(undisturbed.outcome.status == RunStatus::done);
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      CAPTURE(seed);
      RandomStream random(seed, 5, 0, Purpose::data);
      const Duration when = some_instant(random);
      const Ended killed = ended(method, 200, seed, {.loss = 0.02, .repeat = 0.02, .overtake = 0.02},
                                 [&](FaultyCluster& cluster) { cluster.lose(0, when); });
      CAPTURE(killed.outcome.reason);
      CHECK(killed.outcome.status == RunStatus::done);
      CHECK(killed.outcome.dropped == std::vector<PeerId>{0});
      CHECK(killed.outcome.peers[standby].took_over_in.has_value());
      CHECK(same_losses(killed.outcome, undisturbed.outcome));
      CHECK(killed.hub == undisturbed.hub);
    }
  }
}

TEST_CASE("hub standby: a hub that stands still is replaced, changes no bit, and ends when it wakes") {
  std::uint64_t replaced = 0;
  for (const std::string& method : methods_with_standby()) {
    CAPTURE(method);
    const Ended undisturbed = ended(method, 800, 3, {}, nothing);
    const Ended frozen =
        ended(method, 800, 3, {}, [&](FaultyCluster& cluster) { cluster.freeze(0, 60ms, 1100ms); });
    CAPTURE(frozen.outcome.reason);
    CHECK(frozen.outcome.status == RunStatus::done);
    CHECK(frozen.outcome.dropped == std::vector<PeerId>{0});
    CHECK(frozen.hub == undisturbed.hub);
    const auto experiment = star(method, 800, standby);
    FaultyCluster cluster(experiment, 3, {});
    cluster.freeze(0, 60ms, 500ms);
    REQUIRE(cluster.run(long_enough));
    replaced += cluster.hub_replaced;
  }
  CHECK(replaced > 0);
}

TEST_CASE("hub standby: a hub and a worker that stand still together change no bit, or the run says so") {
  std::uint64_t same = 0, ended_with_reason = 0;
  for (const std::string& method : methods_with_standby()) {
    CAPTURE(method);
    const Ended undisturbed = ended(method, 400, 3, {}, nothing);
    for (const PeerId worker : {1, 4, 5})
      for (const Duration until : {290ms, 310ms, 350ms, 420ms, 500ms, 700ms}) {
        CAPTURE(worker);
        CAPTURE(until.count());
        const Ended frozen = ended(method, 400, 3, {}, [&](FaultyCluster& cluster) {
          cluster.freeze(0, 60ms, until);
          cluster.freeze(worker, 60ms, until);
        });
        const std::vector<PeerId>& dropped = frozen.outcome.dropped;
        const bool lost_a_worker = std::ranges::any_of(dropped, [](PeerId id) { return id != 0; });
        if (frozen.outcome.status == RunStatus::lost) {
          CHECK(!frozen.outcome.reason.empty());
          ++ended_with_reason;
        } else if (!lost_a_worker) {
          CHECK(frozen.hub == undisturbed.hub);
          ++same;
        }
      }
  }
  CHECK(same > 50);
  CHECK(ended_with_reason < same / 4);
}

TEST_CASE("hub standby: it leaves out the workers that the hub has left out") {
  for (const std::string& method : methods_with_standby()) {
    CAPTURE(method);
    const auto worker_lost = [](FaultyCluster& cluster) { cluster.lose(4, 60ms); };
    const Ended with_hub = ended(method, 900, 3, {}, worker_lost);
    CHECK(with_hub.outcome.dropped == std::vector<PeerId>{4});
    const Ended without_hub = ended(method, 900, 3, {}, [&](FaultyCluster& cluster) {
      worker_lost(cluster);
      cluster.lose(0, 700ms);
    });
    CHECK(without_hub.outcome.status == RunStatus::done);
    CHECK(without_hub.outcome.dropped == std::vector<PeerId>{0, 4});
    CHECK(without_hub.outcome.peers[standby].took_over_in > 20);
    CHECK(without_hub.hub == with_hub.hub);
  }
}

TEST_CASE("hub standby: a run goes on without its standby, and then ends with its hub") {
  for (const std::string& method : methods_with_standby()) {
    CAPTURE(method);
    const Ended alone =
        ended(method, 400, 3, {}, [](FaultyCluster& cluster) { cluster.lose(standby, 60ms); });
    CHECK(alone.outcome.status == RunStatus::done);
    CHECK(alone.outcome.dropped == std::vector<PeerId>{standby});
    const Ended neither = ended(method, 800, 3, {}, [](FaultyCluster& cluster) {
      cluster.lose(standby, 60ms);
      cluster.lose(0, 600ms);
    });
    CHECK(neither.outcome.status == RunStatus::lost);
    CHECK(contains(neither.outcome.reason, "peer 0 "));
    const Ended both = ended(method, 1500, 3, {}, [](FaultyCluster& cluster) {
      cluster.lose(0, 60ms);
      cluster.lose(standby, 900ms);
    });
    CHECK(both.outcome.status == RunStatus::lost);
    CHECK(contains(both.outcome.reason, "peer " + std::to_string(standby) + " "));
  }
}

TEST_CASE("hub standby: one that alone cannot hear the hub takes nobody along") {
  for (const std::string& method : methods_with_standby()) {
    CAPTURE(method);
    const Ended cut =
        ended(method, 900, 3, {}, [](FaultyCluster& cluster) { cluster.cut(0, standby, 60ms, 1h); });
    const Ended lost = ended(method, 900, 3, {}, [](FaultyCluster& cluster) { cluster.lose(standby, 60ms); });
    CHECK(cut.outcome.status == RunStatus::done);
    CHECK(std::ranges::find(cut.outcome.dropped, PeerId{0}) == cut.outcome.dropped.end());
    CHECK((cut.hub - lost.hub).norm() <= 0.05 * (1 + lost.hub.norm()));
  }
}

TEST_CASE("hub standby: one that stood still is a worker that was lost") {
  for (const std::string& method : methods_with_standby()) {
    CAPTURE(method);
    const Ended frozen =
        ended(method, 900, 3, {}, [](FaultyCluster& cluster) { cluster.freeze(standby, 60ms, 700ms); });
    CHECK(frozen.outcome.status == RunStatus::done);
    CHECK(frozen.outcome.dropped == std::vector<PeerId>{standby});
    CHECK_FALSE(frozen.outcome.peers[standby].took_over_in);
  }
}

TEST_CASE("hub standby: a worker that the observer alone does not hear goes on, and so do hub and standby") {
  for (const std::string method : {"fed-avg", "ef21"})
    for (const Duration cut_for : {220ms, 280ms, 340ms, 1000ms}) {
      CAPTURE(method);
      CAPTURE(cut_for.count());
      const auto experiment = star(method, 1500, standby, 50);
      FaultyCluster cluster(experiment, 3, {});
      cluster.cut(1, peers, 60ms, 60ms + cut_for);
      REQUIRE(cluster.run(long_enough));
      CHECK(cluster.outcome().status == RunStatus::done);
      for (PeerId id = 0; id < peers; ++id) CHECK(cluster.peer(id)->iteration() == 1500);
    }
}

TEST_CASE("hub standby: 200 seeds of hubs, workers and links that are lost or stand still end, and say how") {
  std::uint64_t done = 0, lost = 0, took_over = 0;
  const std::vector<std::string> methods = methods_with_standby();
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    const auto experiment = star(methods[seed % methods.size()], 500, standby);
    RandomStream random(seed, 3, 0, Purpose::data);
    FaultyCluster cluster(experiment, seed, {.loss = 0.01, .repeat = 0.01, .overtake = 0.01});
    const auto anyone = [&] { return static_cast<PeerId>(random.below(peers)); };
    for (int fault = 0; fault < 3; ++fault) {
      const Duration when = some_instant(random);
      const PeerId id = anyone();
      switch (random.below(4)) {
        case 0:
          cluster.freeze(id, when, when + a_while(random));
          break;
        case 1:
          // `peers` is the observer.
          cluster.cut(id, (id + 1 + static_cast<PeerId>(random.below(peers))) % (peers + 1), when,
                      when + a_while(random));
          break;
        case 2:
          cluster.lose(0, when);
          break;
        default:
          cluster.lose(id, when);
          break;
      }
    }
    REQUIRE(cluster.run(long_enough));
    const RunOutcome<double> outcome = cluster.outcome();
    CAPTURE(outcome.reason);
    CHECK((outcome.status == RunStatus::done || outcome.status == RunStatus::lost));
    if (outcome.status == RunStatus::lost) CHECK(!outcome.reason.empty());
    (outcome.status == RunStatus::done ? done : lost) += 1;
    took_over += outcome.status == RunStatus::done && outcome.peers[0].gone;
  }
  CHECK(done > 100);
  CHECK(lost > 5);
  CHECK(took_over > 50);
}

}  // namespace hearsay::test::hub_standby_test

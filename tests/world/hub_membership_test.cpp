#include <doctest/doctest.h>

#include <cmath>

#include "algorithms/methods/registry.hpp"
#include "runtime/record/summary.hpp"
#include "tests/methods/optimum.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/world/dropping_runs.hpp"

namespace hearsay::test::hub_membership_test {

using namespace std::chrono_literals;

// Policy "drop" on a star: the hub goes on without a worker, and no worker without the hub.

namespace {

std::vector<std::string> hub_methods(bool (*wanted)(const MethodInfo&)) {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods())
    if (method.pattern.has_hub && wanted(method)) names.push_back(method.name);
  REQUIRE(names.size() > 4);
  return names;
}

bool goes_on(const MethodInfo& method) { return goes_on_without(method.membership); }
bool forgets(const MethodInfo& method) { return method.membership == Membership::forgotten; }
bool takes_back(const MethodInfo& method) { return method.membership == Membership::exact; }
bool may_be_late(const MethodInfo& method) { return goes_on(method) && method.answers_may_be_late; }
bool may_be_joined(const MethodInfo& method) { return method.may_be_joined; }

/// Returns a run of a hub and its workers under policy "drop", with failure.lost_after = 200 ms. The
/// quadratic of a peer depends on its id alone. `round_deadline` 0: the hub waits for all answers.
Experiment<double> dropping_star(const std::string& method, PeerId peers, std::uint64_t iterations,
                                 double participation = 1.0, std::vector<PeerId> join_later = {},
                                 Duration round_deadline = 0ms) {
  RunSettings settings =
      settings_of(method, {.family = "star", .peers = peers, .participation = participation},
                  {.iterations = iterations, .step_size = 0.01});
  settings.failure.policy = RunSettings::Failure::Policy::drop;
  settings.failure.lost_after = 200ms;
  settings.failure.join_later = std::move(join_later);
  settings.run.evaluate_every = 10;
  settings.topology.round_deadline = round_deadline;
  std::vector<PeerId> ids(peers);
  for (PeerId id = 0; id < peers; ++id) ids[id] = id;
  return prepare<double>(settings, quadratic_problem<double>(5, ids, Shared::nothing));
}

/// Checks that a worker which stands still for too long is taken back in a run of 1,500 iterations.
void check_taken_back(const Experiment<double>& experiment) {
  FaultyCluster cluster(experiment, 3, {});
  cluster.freeze(4, 60ms, 700ms);
  REQUIRE(cluster.run(long_enough));
  const RunOutcome<double> outcome = cluster.outcome();
  CHECK(outcome.status == RunStatus::done);
  CHECK(outcome.dropped.empty());
  CHECK(outcome.returned == 1);
  CHECK(cluster.hub_lost == 0);
  CHECK(cluster.parted == 2);
  CHECK(cluster.attached == 2);
  CHECK(cluster.rows(0).back().hears.size() == 5);
  CHECK(cluster.peer(4)->iteration() == 1500);
  CHECK(replicas_consistent(outcome.peers) != std::optional(false));
}

/// Returns when worker `id` sends its first answer to the hub.
Duration first_answer_of(PeerId id, const Experiment<double>& experiment) {
  FaultyCluster cluster(experiment, 3, {});
  Duration first{0};
  cluster.network().overhears = [&](PeerId from, PeerId to, const FrameHeader& header,
                                    std::span<const std::byte>) {
    if (from == id && to == 0 && header.kind == FrameKind::data && first == Duration{0})
      first = cluster.now();
  };
  REQUIRE(cluster.run(long_enough));
  REQUIRE(first > Duration{0});
  return first;
}

}  // namespace

TEST_CASE("hub membership: a worker that is lost leaves the average, as if it had never been in it") {
  for (const std::string& method : hub_methods(goes_on)) {
    CAPTURE(method);
    constexpr PeerId peers = 6;
    constexpr std::uint64_t iterations = 60;
    const auto with_it = dropping_star(method, peers, iterations);
    FaultyCluster cluster(with_it, 3, {});
    cluster.lose(peers - 1, first_answer_of(peers - 1, with_it) - 1ns);
    REQUIRE(cluster.run(long_enough));
    const RunOutcome<double> outcome = cluster.outcome();
    CHECK(outcome.status == RunStatus::done);
    CHECK(outcome.dropped == std::vector<PeerId>{peers - 1});

    const auto without_it = dropping_star(method, peers - 1, iterations);
    FaultyCluster smaller(without_it, 3, {});
    REQUIRE(smaller.run(long_enough));
    const Vector<double>& expected = smaller.peer(0)->model();
    CHECK((cluster.peer(0)->model() - expected).norm() <= 1e-13 * expected.norm());
    CHECK((expected - with_it.problem.initial).norm() > 1e-3);
  }
}

TEST_CASE("hub membership: a worker is lost in the middle of a run, whatever the method that goes on") {
  for (const std::string& method : hub_methods(goes_on)) {
    CAPTURE(method);
    const auto experiment = dropping_star(method, 6, 200);
    FaultyCluster cluster(experiment, 3, {});
    cluster.lose(4, 60ms);
    REQUIRE(cluster.run(long_enough));
    CHECK(cluster.crashes == 1);
    const RunOutcome<double> outcome = cluster.outcome();
    CHECK(outcome.status == RunStatus::done);
    CHECK(outcome.dropped == std::vector<PeerId>{4});
    CHECK(cluster.parted == 1);
    CHECK(cluster.hub_lost == 0);
    CHECK(cluster.rows(0).front().hears.size() == 5);
    CHECK(cluster.rows(0).back().hears.size() == 4);
    for (PeerId id = 0; id < 6; ++id)
      if (id != 4) CHECK(cluster.peer(id)->iteration() == 200);
  }
}

TEST_CASE("hub membership: a worker that stood still is taken back, and waits for the hub until then") {
  for (const std::string& method : hub_methods(takes_back)) {
    CAPTURE(method);
    check_taken_back(dropping_star(method, 6, 1500));
  }
}

TEST_CASE(
    "hub membership: a worker that stands still in iteration 1 for too long ends no run but, perhaps, its "
    "own") {
  for (const std::string& method : hub_methods(goes_on)) {
    CAPTURE(method);
    const auto experiment = dropping_star(method, 6, 200);
    const Duration first = first_answer_of(4, experiment);
    for (const Duration when : {first / 4, first - 1ns, first + 1ns}) {
      FaultyCluster cluster(experiment, 3, {});
      cluster.freeze(4, when, when + 700ms);
      REQUIRE(cluster.run(long_enough));
      const RunOutcome<double> outcome = cluster.outcome();
      CHECK_MESSAGE(outcome.status == RunStatus::done, outcome.reason);
      for (const PeerId id : {0, 1, 2, 3, 5}) CHECK(cluster.peer(id)->iteration() == 200);
      CHECK(cluster.parted > 0);
    }
  }
}

TEST_CASE("hub membership: a worker that hears of the start after the hub has gone on ends nobody's run") {
  constexpr PeerId late = 4, peers = 6;
  for (const std::string& method : hub_methods(goes_on)) {
    CAPTURE(method);
    const auto experiment = dropping_star(method, peers, 200);
    Duration start{0};
    FaultyCluster undisturbed(experiment, 3, {});
    undisturbed.network().overhears = [&](PeerId, PeerId to, const FrameHeader& header,
                                          std::span<const std::byte>) {
      if (to == late && header.kind == FrameKind::start && start == 0ms) start = undisturbed.now();
    };
    REQUIRE(undisturbed.run(long_enough));
    FaultyCluster cluster(experiment, 3, {});
    cluster.freeze(late, start, start + 600ms);
    cluster.cut(late, peers, start, start + 700ms);  // peers: the observer
    REQUIRE(cluster.run(long_enough));
    const RunOutcome<double> outcome = cluster.outcome();
    CHECK_MESSAGE(outcome.status == RunStatus::done, outcome.reason);
    CHECK(cluster.parted > 0);  // the hub has gone on
    for (const PeerId id : {0, 1, 2, 3, 5}) CHECK(cluster.peer(id)->iteration() == 200);
  }
}

TEST_CASE("hub membership: a worker that cannot be taken back ends, and the others go on") {
  const auto experiment = dropping_star("gen-qsgd", 6, 1500);
  FaultyCluster cluster(experiment, 3, {});
  cluster.freeze(4, 60ms, 700ms);
  REQUIRE(cluster.run(long_enough));
  const RunOutcome<double> outcome = cluster.outcome();
  CHECK(outcome.status == RunStatus::done);
  CHECK(outcome.dropped == std::vector<PeerId>{4});
  CHECK(cluster.hub_lost == 1);
  CHECK(cluster.attached == 0);
}

TEST_CASE("hub membership: a worker that was killed joins anew with the hub's model, whatever the method") {
  for (const std::string& method : hub_methods(may_be_joined)) {
    CAPTURE(method);
    const auto experiment = dropping_star(method, 6, 1500);
    FaultyCluster cluster(experiment, 3, {});
    cluster.replace(4, 60ms, 700ms);
    REQUIRE(cluster.run(long_enough));
    const RunOutcome<double> outcome = cluster.outcome();
    CHECK(outcome.status == RunStatus::done);
    CHECK(outcome.dropped.empty());
    CHECK(outcome.joined == std::vector<PeerId>{4});
    REQUIRE(cluster.entries.size() == 1);
    CHECK(cluster.entries.front().from == 0);
    CHECK(cluster.rows(0).back().hears.size() == 5);
    CHECK(cluster.peer(4)->iteration() == 1500);
  }
}

TEST_CASE("hub membership: a run begins without the workers that join later, and ends with all") {
  for (const std::string& method : hub_methods(may_be_joined)) {
    CAPTURE(method);
    const auto experiment = dropping_star(method, 6, 1500, 1.0, {2, 5});
    FaultyCluster cluster(experiment, 3, {});
    cluster.begin_late(2, 300ms);
    cluster.begin_late(5, 20ms);
    REQUIRE(cluster.run(long_enough));
    const RunOutcome<double> outcome = cluster.outcome();
    CHECK(outcome.status == RunStatus::done);
    CHECK(outcome.joined == std::vector<PeerId>{2, 5});
    CHECK(cluster.rows(0).front().hears.size() == 3);
    CHECK(cluster.rows(0).back().hears.size() == 5);
  }
}

TEST_CASE("hub membership: half of the workers answer in a round, one of them is lost, and one returns") {
  for (const std::string& method : hub_methods(takes_back)) {
    CAPTURE(method);
    const auto experiment = dropping_star(method, 9, 3000, 0.5);
    FaultyCluster cluster(experiment, 3, {});
    cluster.lose(4, 60ms);
    cluster.freeze(7, 60ms, 700ms);
    REQUIRE(cluster.run(long_enough));
    const RunOutcome<double> outcome = cluster.outcome();
    CHECK(outcome.status == RunStatus::done);
    CHECK(outcome.dropped == std::vector<PeerId>{4});
    std::uint64_t heard_of_7 = 0;
    for (std::size_t round = 2000; round < cluster.rows(0).size(); ++round)
      for (const WeightedNeighbor& heard : cluster.rows(0)[round].hears) {
        CHECK(heard.id != 4);
        heard_of_7 += heard.id == 7;
      }
    CHECK(heard_of_7 > 100);
  }
}

TEST_CASE("hub membership: a run whose hub is lost is lost, with its name, and so is one without workers") {
  for (const std::string& method : hub_methods(goes_on)) {
    CAPTURE(method);
    const auto experiment = dropping_star(method, 6, 400);
    FaultyCluster cluster(experiment, 3, {});
    cluster.lose(0, 60ms);
    REQUIRE(cluster.run(long_enough));
    CHECK(cluster.outcome().status == RunStatus::lost);
    CHECK(contains(cluster.outcome().reason, "peer 0 "));
    CHECK(contains(cluster.outcome().reason, "it is the hub, without which no worker trains"));

    FaultyCluster deserted(experiment, 3, {});
    for (PeerId id = 1; id < 6; ++id) deserted.lose(id, 60ms);
    REQUIRE(deserted.run(long_enough));
    CHECK(deserted.outcome().status == RunStatus::lost);
    CHECK(deserted.outcome().reason == "all workers were lost");
  }
}

TEST_CASE("hub membership: 200 seeds of workers that stand still, are cut off or replaced, in bad weather") {
  std::uint64_t joined = 0, attached = 0, returned = 0, hub_lost = 0, done = 0, timed = 0;
  const std::vector<std::string> methods = hub_methods(may_be_joined);
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    constexpr PeerId peers = 6;
    const std::string& method = methods[seed % methods.size()];
    const bool closes = seed % 3 == 0 && find_method(method).answers_may_be_late;
    const auto experiment = dropping_star(method, peers, 800, 1.0, {}, closes ? 5ms : 0ms);
    timed += closes;
    RandomStream random(seed, 3, 0, Purpose::data);
    FaultyCluster cluster(experiment, seed, {.loss = 0.01, .repeat = 0.01, .overtake = 0.01});
    const auto worker = [&] { return 1 + static_cast<PeerId>(random.below(peers - 1)); };
    for (int fault = 0; fault < 3; ++fault) {
      const Duration when = some_instant(random);
      const PeerId id = worker();
      switch (random.below(3)) {
        case 0:
          cluster.freeze(id, when, when + a_while(random));
          break;
        case 1:
          cluster.cut(id, random.below(2) == 0 ? 0 : peers, when, when + a_while(random));
          break;
        default:
          cluster.replace(id, when, when + a_while(random));
      }
    }
    REQUIRE(cluster.run(long_enough));
    const RunOutcome<double> outcome = cluster.outcome();
    CHECK_MESSAGE(outcome.status == RunStatus::done, outcome.reason);
    CHECK(cluster.peer(0)->iteration() == 800);
    done += outcome.status == RunStatus::done;
    joined += cluster.joined;
    attached += cluster.attached;
    returned += outcome.returned;
    hub_lost += cluster.hub_lost;
  }
  CHECK(done == 200);
  CHECK(timed > 40);
  CHECK(joined > 100);
  CHECK(attached > 200);
  CHECK(returned > 20);
  CHECK(hub_lost > 5);
}

TEST_CASE("hub membership: under a round deadline a lost worker is late until it is missed, then it is out") {
  for (const std::string& method : hub_methods(may_be_late)) {
    CAPTURE(method);
    const auto experiment = dropping_star(method, 6, 200, 1.0, {}, 20ms);
    FaultyCluster cluster(experiment, 3, {});
    cluster.lose(4, 60ms);
    Duration last_to_it{0};
    cluster.network().overhears = [&](PeerId from, PeerId to, const FrameHeader& header,
                                      std::span<const std::byte>) {
      if (from == 0 && to == 4 && header.kind == FrameKind::data) last_to_it = cluster.now();
    };
    REQUIRE(cluster.run(long_enough));
    CHECK(cluster.crashes == 1);
    const RunOutcome<double> outcome = cluster.outcome();
    CHECK(outcome.status == RunStatus::done);
    CHECK(outcome.dropped == std::vector<PeerId>{4});
    // The hub, which closes its rounds, does not miss the worker by itself: the observer tells it.
    CHECK(cluster.parted == 1);
    CHECK(last_to_it > 60ms + 100ms);
    CHECK(last_to_it < 60ms + 400ms);
    CHECK(cluster.rows(0).back().hears.size() == 4);
    for (PeerId id = 0; id < 6; ++id)
      if (id != 4) CHECK(cluster.peer(id)->iteration() == 200);
  }
}

TEST_CASE("hub membership: under a round deadline a worker that stood still for too long is taken back") {
  for (const std::string& method : hub_methods(may_be_late)) {
    CAPTURE(method);
    check_taken_back(dropping_star(method, 6, 1500, 1.0, {}, 20ms));
  }
}

TEST_CASE(
    "hub membership: what a lost worker has said is forgotten, so the run ends at the others' optimum") {
  for (const std::string& method : hub_methods(forgets)) {
    CAPTURE(method);
    constexpr PeerId lost = 5;
    const auto experiment = dropping_star(method, lost + 1, 3000);
    FaultyCluster cluster(experiment, 3, {});
    cluster.lose(lost, 100ms);
    REQUIRE(cluster.run(long_enough));
    CHECK(cluster.outcome().status == RunStatus::done);
    CHECK(cluster.outcome().dropped == std::vector<PeerId>{lost});
    CHECK(cluster.rows(0).front().hears.size() == 5);
    CHECK(replicas_consistent(cluster.outcome().peers) != std::optional(false));
    const double wrong = (quadratic_optimum(5, lost + 1) - quadratic_optimum(5, lost)).norm();
    const double away = (cluster.peer(0)->model() - quadratic_optimum(5, lost)).norm();
    CHECK(away < (method == "cd-adam" ? 0.1 : 1e-4) * wrong);
  }
}

TEST_CASE("hub membership: a hub that forgets who does not answer wants all workers in every round") {
  for (const std::string& method : hub_methods(forgets)) {
    CAPTURE(method);
    CHECK(
        contains(misuse_text([&] { dropping_star(method, 6, 10, 0.5); }), "topology.participation = 0.5: "));
  }
  CHECK(misuse_text([&] { dropping_star("ef21", 6, 10, 0.5); }) ==
        "topology.participation = 0.5: under failure.policy = \"drop\" the hub of ef21 forgets what a worker "
        "has said that does not answer; expected 1, or failure.policy = \"wait\"");
}

TEST_CASE("hub membership: there is no method with a hub that a lost worker ends") {
  for (const MethodInfo& method : methods())
    if (method.pattern.has_hub) CHECK_MESSAGE(goes_on(method), method.name);
}

}  // namespace hearsay::test::hub_membership_test

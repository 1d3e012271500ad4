#include "runtime/peer/staleness.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "runtime/peer/peer.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "algorithms/methods/parts/stale_gossip.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::staleness_test {

using namespace std::chrono_literals;

namespace {

MethodOptions stale(std::uint64_t staleness, double consensus_step = 1.0) {
  return {{option::consensus_step, consensus_step}, {option::staleness, staleness}};
}

Experiment<double> experiment_of(std::uint64_t staleness, double consensus_step,
                                 std::uint64_t iterations = 30) {
  return quadratics_in<double>({"ring", 8}, "d-psgd",
                               {.iterations = iterations, .options = stale(staleness, consensus_step)});
}

/// Computes x_i(t+1) by the equation of the method's header, neighbors in ascending order.
template <class Scalar>
Models<Scalar> by_hand(const Experiment<Scalar>& experiment, std::uint64_t staleness, double step) {
  std::vector<Models<Scalar>> x(experiment.iterations + 2, Models<Scalar>(experiment.peer_count()));
  for (Vector<Scalar>& model : x[1]) model = experiment.problem.initial;
  const auto eta = static_cast<Scalar>(experiment.settings.algorithm.step_size);
  const Index sample = 0;
  for (std::uint64_t t = 1; t <= experiment.iterations; ++t)
    for (PeerId i = 0; i < experiment.peer_count(); ++i) {
      Vector<Scalar> next = x[t][i];
      if (t > staleness)
        for (const auto& [j, weight] : experiment.schedule->row(i, 0).hears)
          next += static_cast<Scalar>(step * weight) * (x[t - staleness][j] - x[t - staleness][i]);
      Vector<Scalar> gradient(next.size());
      experiment.problem.objectives[i]->gradient(x[t][i], {&sample, 1}, gradient);
      x[t + 1][i] = next - eta * gradient;
    }
  return x.back();
}

template <class Scalar>
void check_by_hand(std::uint64_t staleness, double step) {
  const Plan plan{.iterations = 17, .options = stale(staleness, step)};
  const auto experiment = quadratics_in<Scalar>({"ring", 5}, "d-psgd", plan);
  const Models<Scalar> expected = by_hand(experiment, staleness, step);
  const Models<Scalar> found = models_of(record_run(experiment, 2).back());
  for (PeerId id = 0; id < 5; ++id) CHECK(digest(found[id]) == digest(expected[id]));
}

/// Returns the remainder, after `rounds` rounds, of an eigenvector of W for the smallest eigenvalue, -1/3 on
/// a ring of 8.
double left_of_alternation(std::uint64_t staleness, double consensus_step, std::uint64_t rounds) {
  const auto experiment = flat_in<double>(
      {"ring", 8}, "d-psgd", {.iterations = rounds, .options = stale(staleness, consensus_step)}, 1);
  BareCluster<double> cluster(experiment, 1);
  Models<double> start;
  for (PeerId id = 0; id < 8; ++id) start.push_back(Vector<double>::Constant(1, id % 2 == 0 ? 1.0 : -1.0));
  cluster.plant(start);
  cluster.run();
  double largest = 0.0;
  for (std::uint64_t t = rounds - 2 * staleness - 1; t <= rounds; ++t)
    largest = std::max(largest, std::abs(cluster.recording()[t][3].model[0]));
  return largest;
}

std::string refusal(const std::string& method, const World& world, const MethodOptions& options,
                    RunSettings::Failure failure = {}) {
  auto settings = settings_of(method, world, {.options = options});
  settings.algorithm.allow_unsound = false;
  settings.failure = failure;
  return misuse_text([&] {
    prepare<double>(settings, quadratic_problem<double>(7, first_peers(world.peers), Shared::nothing));
  });
}

}  // namespace

TEST_CASE(
    "staleness: the models are those of the delayed equation, bit for bit, and with 0 those of d-psgd") {
  for (const std::uint64_t staleness : {0, 1, 2, 4}) {
    CAPTURE(staleness);
    for (const double step : {1.0, 0.25}) {
      check_by_hand<float>(staleness, step);
      check_by_hand<double>(staleness, step);
    }
  }
}

TEST_CASE("staleness: in every iteration the mean moves by the mean gradient, and by nothing else") {
  for (const std::uint64_t staleness : {1, 2, 5}) {
    CAPTURE(staleness);
    const auto experiment = experiment_of(staleness, 0.2);
    const auto recording = record_run(experiment);
    double apart = 0.0;
    for (std::size_t t = 1; t < recording.size(); ++t) {
      Vector<double> expected = mean_in_double(recording[t - 1]);
      for (PeerId i = 0; i < 8; ++i) {
        Vector<double> gradient(expected.size());
        const Index sample = 0;
        experiment.problem.objectives[i]->gradient(recording[t - 1][i].model, {&sample, 1}, gradient);
        expected -= 0.1 / 8 * gradient;
      }
      CHECK((mean_in_double(recording[t]) - expected).cwiseAbs().maxCoeff() < 1e-14);
      apart = std::max(apart, (recording[t][0].model - recording[t][4].model).norm());
    }
    CHECK(apart > 0.1);
  }
}

TEST_CASE("staleness: where nothing is rounded gossip keeps the mean exactly") {
  const auto experiment = flat_in<double>({"hypercube", 8}, "d-psgd",
                                          {.iterations = 9, .options = stale(2, 0.5)}, 6);  // weights of 1/8
  Models<double> start(8, Vector<double>(6));
  RandomStream random(8, 0, 0, Purpose::data);
  for (Vector<double>& model : start)
    for (double& entry : model) entry = static_cast<double>(random.below(1024));
  BareCluster<double> cluster(experiment, 1);
  cluster.plant(start);
  cluster.run();
  const auto& recording = cluster.recording();
  for (const auto& peers : recording) CHECK(mean_in_double(peers) == mean_in_double(recording[0]));
  CHECK(recording[2][0].model ==
        recording[0][0].model);  // the first two iterations wait for no message, and use none
  CHECK(recording[3][0].model != recording[0][0].model);
}

TEST_CASE("staleness: at a common minimiser nobody moves, and equal models stay equal") {
  const Plan plan{.iterations = 12, .options = stale(2, 0.3)};
  const auto experiment = quadratics_in<float>({"ring", 8}, "d-psgd", plan, Shared::minimiser);
  const auto recording = record_run(experiment);
  for (const PeerRecord<float>& peer : recording.back())
    CHECK(digest(peer.model) == digest(experiment.problem.initial));
}

TEST_CASE("staleness: gossip dies out just below the limit, and grows just above it") {
  CHECK(consensus_limit_of(0) == doctest::Approx(2.0).epsilon(1e-14));
  CHECK(consensus_limit_of(1) == doctest::Approx(1.0).epsilon(1e-14));
  CHECK(consensus_limit_of(2) == doctest::Approx((std::sqrt(5.0) - 1.0) / 2.0).epsilon(1e-14));
  for (const std::uint64_t staleness : {1, 2, 3, 7}) {
    CAPTURE(staleness);
    const double step = consensus_limit_of(staleness) / (4.0 / 3.0);
    CHECK(left_of_alternation(staleness, 0.98 * step, 4000) < 1e-3);
    CHECK(left_of_alternation(staleness, 1.02 * step, 4000) > 1e3);
  }
}

TEST_CASE(
    "staleness: a peer takes s iterations before it needs anybody, and one more for every one it hears of") {
  for (const std::uint64_t staleness : {0, 1, 3}) {
    CAPTURE(staleness);
    auto experiment =
        quadratics_in<double>({"ring", 2}, "d-psgd", {.iterations = 50, .options = stale(staleness, 0.1)});
    experiment.settings.run.evaluate_every = 50;
    PacketPool packets;
    const auto peer = make_peer(experiment, 0, packets);
    const auto settle = [&] {
      while (peer->state() == PeerState::needs_gradient) {
        peer->compute_gradient();
        peer->gradient_arrived();
      }
    };
    peer->verdict(0, true);
    peer->start();
    settle();
    CHECK(peer->iteration() == staleness);
    CHECK(peer->state() == PeerState::needs_messages);
    const PacketRef packet = peer->outbox().front().packet;
    peer->deliver({2, 0, 1}, packet);  // its neighbor has run ahead
    settle();
    CHECK(peer->iteration() == staleness);
    peer->deliver({1, 0, 1}, packet);
    settle();
    CHECK(peer->iteration() == staleness + 2);
    CHECK(peer->counters().late == 0);
    peer->deliver({2, 0, 1}, packet);
    CHECK(peer->counters().late == 1);
  }
}

TEST_CASE("staleness: a neighbor that is as far ahead as it can be overflows no inbox") {
  constexpr std::uint64_t staleness = 100;
  const auto experiment =
      flat_in<double>({"ring", 3}, "d-psgd", {.iterations = 1000, .options = stale(staleness, 0.01)}, 2);
  PacketPool packets;
  const auto peer = make_peer(experiment, 0, packets);
  const PacketRef packet = [&] {
    PacketBuffer buffer = packets.acquire();
    buffer.resize(16);
    return std::move(buffer).seal();
  }();
  for (std::uint64_t k = 1; k <= 2 * staleness + 1; ++k) peer->deliver({k, 0, 1}, packet);
  CHECK(peer->counters().overflow == 0);
}

TEST_CASE("staleness: it hides the jitter of stragglers, and the network changes no bit") {
  const auto run = [](std::uint64_t staleness, double sigma, Duration jitter) {
    auto experiment = experiment_of(staleness, 0.25, 200);
    experiment.settings.run.evaluate_every = 50;
    experiment.settings.network.latency = 5ms;
    experiment.settings.network.jitter = jitter;
    experiment.settings.network.compute = {ComputeTime::Kind::lognormal, 20ms, sigma};
    return simulate(experiment, Duration{0});
  };
  std::vector<double> seconds;
  for (const std::uint64_t staleness : {0, 1, 2, 4}) {
    const auto outcome = run(staleness, 1.0, 0ms);
    const auto other = run(staleness, 0.1, 30ms);
    for (PeerId id = 0; id < 8; ++id) CHECK(outcome.peers[id].model_digest == other.peers[id].model_digest);
    seconds.push_back(outcome.seconds);
  }
  // A gradient takes 33 ms on average, so that 200 of them are 6.6 s.
  CHECK(seconds[1] < 0.9 * seconds[0]);
  CHECK(seconds[2] < 0.8 * seconds[0]);
  CHECK(seconds[3] < seconds[2]);
}

TEST_CASE("staleness: what would not die out is refused with the numbers, and with what to do") {
  CHECK(refusal("d-psgd", {"ring", 8}, stale(1)) ==
        "algorithm.staleness = 1: the peers come to agree where consensus_step (1 - lambda_n) is below 1, "
        "and here "
        "it is 1 x 1.33; expected algorithm.consensus_step below 0.75 (algorithm.allow_unsound = true tries "
        "it all "
        "the same)");
  CHECK(refusal("d-psgd", {"ring", 8, "lazy"}, stale(1)) == "");
  CHECK(contains(refusal("d-psgd", {"ring", 8, "lazy"}, stale(2)),
                 "expected algorithm.staleness = 1 or less, or algorithm.consensus_step below 0.927"));
  CHECK(refusal("d-psgd", {"ring", 8, "lazy"}, stale(2, 0.92)) == "");
  CHECK(refusal("d-psgd", {"ring", 8}, stale(2, 0.4)) == "");
  CHECK(refusal("d-psgd", {"ring", 1}, stale(7)) == "");
  CHECK(contains(refusal("d-psgd", {"ring", 1}, stale(101)), "expected at most 100"));
  CHECK(contains(refusal("d-psgd", {"ring", 8}, stale(0, 1.6)), "algorithm.consensus_step = 1.6: "));
  CHECK(refusal("d-psgd", {"ring", 8}, stale(0, 1.4)) == "");
}

TEST_CASE("staleness: changing links, the policy drop, and methods that know none are refused") {
  CHECK(contains(refusal("d-psgd", {"exponential", 8, "metropolis", "one-peer-exponential"}, stale(1, 0.1)),
                 "algorithm.staleness = 1: it needs the same links in every round"));
  CHECK(contains(refusal("d-psgd", {"ring", 8, "metropolis", "static", 0.5}, stale(1, 0.1)),
                 "topology.participation = 1"));
  CHECK(
      contains(refusal("d-psgd", {"ring", 8}, stale(1, 0.1), {.policy = RunSettings::Failure::Policy::drop}),
               "failure.policy = \"drop\": the two ends of a broken link would part"));
  CHECK(contains(refusal("dcd-psgd", {"ring", 8}, {{option::staleness, 1}}),
                 "algorithm.staleness = 1: dcd-psgd does not read it"));
}

}  // namespace hearsay::test::staleness_test

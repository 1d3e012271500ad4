#include "algorithms/methods/ad_psgd.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithms/compression/seam/full_precision.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/peer/peer.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/methods/event_log.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::ad_psgd_test {

using namespace std::chrono_literals;

namespace {

const std::vector<World> graphs = {
    {"ring", 8}, {"ring", 7}, {"star", 6}, {"complete", 6}, {"random-regular(3)", 10},
};

/// Gives messages and gradients times that vary widely.
template <class Scalar>
void make_restless(Experiment<Scalar>& experiment) {
  experiment.settings.network.latency = 1ms;
  experiment.settings.network.jitter = 20ms;
  experiment.settings.network.message_loss = 0.1;
  experiment.settings.network.compute = {ComputeTime::Kind::lognormal, 10ms, 1.5};
}

template <class Scalar>
Models<Scalar> unlike_models(PeerId peers, Index dimension) {
  Models<Scalar> models;
  for (PeerId id = 0; id < peers; ++id) models.push_back(normal_vector<Scalar>(dimension, 23, id));
  return models;
}

double distance_from_mean(const std::vector<PeerRecord<double>>& peers) {
  const Vector<double> mean = mean_in_double(peers);
  double sum = 0.0;
  for (const PeerRecord<double>& peer : peers) sum += (peer.model - mean).squaredNorm();
  return std::sqrt(sum / static_cast<double>(peers.size()));
}

Outgoing only_message(Peer<float>& peer) {
  REQUIRE(peer.outbox().size() == 1);
  Outgoing message = std::move(peer.outbox().front());
  peer.outbox().clear();
  return message;
}

std::vector<std::uint64_t> digests_of(const RunOutcome<double>& outcome) {
  std::vector<std::uint64_t> digests;
  for (const PeerOutcome& peer : outcome.peers) digests.push_back(peer.model_digest);
  return digests;
}

/// Returns the largest difference between the completed iterations of two peers at the same time.
std::uint64_t largest_drift(PeerId peers, const std::vector<LoggedEvent>& log) {
  std::vector<std::uint64_t> completed(peers, 0);
  std::uint64_t largest = 0;
  for (const LoggedEvent& event : log) {
    if (event.kind != LoggedEvent::Kind::start) continue;
    completed[event.peer] = event.iteration - 1;
    largest = std::max(largest, std::ranges::max(completed) - std::ranges::min(completed));
  }
  return largest;
}

/// Runs `method` on a ring of 8, with gradient times that vary widely. The gradients of peer 5 take 1.5 times
/// as long.
RunOutcome<double> with_straggler(const std::string& method) {
  auto experiment = quadratics_in<double>({"ring", 8}, method, {.iterations = 100});
  experiment.settings.run.evaluate_every = 100;
  experiment.settings.network.latency = 1ms;
  experiment.settings.network.compute = {ComputeTime::Kind::lognormal, 10ms, 1.0};
  experiment.settings.peer_networks[5] = experiment.settings.network;
  experiment.settings.peer_networks[5].compute.median = 15ms;
  return simulate(experiment, Duration{0});
}

}  // namespace

TEST_CASE("ad-psgd: both ends of an average hold the same bits, half the sum of what they held") {
  const Index dimension = 1099;
  const auto models = unlike_models<float>(2, dimension);
  const auto experiment = flat_in<float>({"ring", 2}, "ad-psgd", {}, dimension);
  BareCluster<float> cluster(experiment, 1);
  cluster.plant_models(models);
  Peer<float>& passive = cluster.peer(0);
  Peer<float>& asker = cluster.peer(1);
  passive.start();
  asker.start();
  const Outgoing request = only_message(asker);
  // The request of `passive` is refused, since that of `asker` is out.
  const Outgoing refused = only_message(passive);
  asker.deliver(refused.key, refused.packet);
  const Outgoing refusal = only_message(asker);
  CHECK(refusal.packet->size() == 0);
  passive.deliver(refusal.key, refusal.packet);
  passive.deliver(request.key, request.packet);
  const Outgoing reply = only_message(passive);
  CHECK(reply.packet->size() == request.packet->size());
  asker.deliver(reply.key, reply.packet);
  CHECK(digest(asker.model()) == digest(passive.model()));
  for (Index k = 0; k < dimension; ++k) {
    REQUIRE(asker.model()[k] == 0.5f * (models[0][k] + models[1][k]));
    const double sum = static_cast<double>(models[0][k]) + static_cast<double>(models[1][k]);
    REQUIRE(std::abs(2.0 * static_cast<double>(asker.model()[k]) - sum) <=
            std::numeric_limits<float>::epsilon() * std::abs(sum));
  }
}

TEST_CASE("ad-psgd: without gradients the sum of all models, what is under way included, stays") {
  for (const World& world : graphs)
    for (const std::uint64_t order : {1u, 2u, 3u}) {
      CAPTURE(world.name());
      const Index dimension = 7;
      const auto models = unlike_models<double>(world.peers, dimension);
      Vector<double> expected = Vector<double>::Zero(dimension);
      for (const Vector<double>& model : models) expected += model;
      const auto experiment = flat_in<double>(world, "ad-psgd", {.iterations = 30}, dimension);
      BareCluster<double> cluster(experiment, order);
      cluster.plant_models(models);
      std::size_t replies_seen = 0;
      cluster.watch = [&](const std::vector<Outgoing>& under_way) {
        Vector<double> sum = Vector<double>::Zero(dimension);
        for (PeerId id = 0; id < world.peers; ++id) sum += cluster.peer(id).model();
        for (const Outgoing& message : under_way) {
          // The peer that answered has averaged. The peer that asked has not yet.
          if (!message.packet || message.key.slot != reply_slot || message.packet->size() == 0) continue;
          Vector<double> replied(dimension);
          REQUIRE(read_full<double>(message.packet->bytes(), view(replied)));
          sum += 0.5 * (replied - cluster.peer(message.to).model());
          ++replies_seen;
        }
        REQUIRE((sum - expected).cwiseAbs().maxCoeff() < 1e-12);
      };
      cluster.run();
      CHECK(replies_seen > 0);
    }
}

TEST_CASE("ad-psgd: without gradients the models come together, on any graph") {
  for (const World& world : graphs) {
    CAPTURE(world.name());
    const auto experiment = flat_in<double>(world, "ad-psgd", {.iterations = 200}, 7);
    BareCluster<double> cluster(experiment, 1);
    cluster.plant_models(unlike_models<double>(world.peers, 7));
    cluster.run();
    const double before = distance_from_mean(cluster.recording().front());
    // The last peers to end have no neighbor left to average with.
    CHECK(distance_from_mean(cluster.recording()[150]) < 0.01 * before);
  }
}

TEST_CASE("ad-psgd: 200 networks that delay messages and gradients as they like let every peer finish") {
  for (const World& world : graphs)
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      CAPTURE(world.name());
      CAPTURE(seed);
      auto experiment =
          quadratics_in<double>(world, "ad-psgd", {.iterations = 20, .seed = seed}, Shared::nothing, 3);
      experiment.settings.run.evaluate_every = 1 + seed % 7;
      make_restless(experiment);
      const auto outcome = simulate(experiment, Duration{0});  // ensures that all peers have finished
      REQUIRE(outcome.status == RunStatus::done);
      // No update is lost, and none is made twice.
      std::uint64_t asked = 0;
      std::uint64_t answered = 0;
      for (const PeerOutcome& peer : outcome.peers) {
        CHECK(peer.iterations == 20);
        CHECK(peer.meters.counters.late + peer.meters.counters.duplicate + peer.meters.counters.overflow ==
              0);
        asked += peer.meters.counters.exchanges_asked;
        answered += peer.meters.counters.exchanges_answered;
      }
      CHECK(asked == answered);
      CHECK(asked > 0);
    }
}

TEST_CASE("ad-psgd: in the simulator a seed gives the same bits again, and another one others") {
  const auto run = [](std::uint64_t seed) {
    auto experiment =
        regressions_in<double>({"ring", 7}, "ad-psgd", {.iterations = 30, .seed = seed, .batch = 3}, 19);
    make_restless(experiment);
    return digests_of(simulate(experiment, Duration{0}));
  };
  CHECK(run(1) == run(1));
  CHECK(run(1) != run(2));
}

TEST_CASE_TEMPLATE("ad-psgd: a run equals Algorithm 1 on the matrix of all models, bit for bit", Scalar,
                   float, double) {
  for (const World& world : graphs) {
    CAPTURE(world.name());
    const Plan plan{.iterations = 40, .batch = 3, .step_schedule = "inverse-sqrt"};
    auto experiment = regressions_in<Scalar>(world, "ad-psgd", plan, 19);
    experiment.settings.run.evaluate_every = 40;
    experiment.method = &logged_ad_psgd();
    make_restless(experiment);
    auto& log = LoggedAdPsgd<Scalar>::log;
    log.clear();
    const auto outcome = simulate(experiment, Duration{0});
    const auto X = replayed(experiment, log);
    CHECK(log.size() > 40 * world.peers);
    for (PeerId id = 0; id < world.peers; ++id) {
      const Vector<Scalar> column = X.col(id);
      CHECK(digest(column) == outcome.peers[id].model_digest);
      CHECK(digest(column) == digest(outcome.models[id]));
    }
  }
}

TEST_CASE("ad-psgd: peers drift apart, and never by more than twice evaluate_every") {
  auto experiment = quadratics_in<double>({"ring", 8}, "ad-psgd", {.iterations = 40});
  experiment.settings.run.evaluate_every = 4;
  experiment.method = &logged_ad_psgd();
  experiment.settings.network.compute = {ComputeTime::Kind::constant, 1ms, 0};
  experiment.settings.peer_networks[3] = experiment.settings.network;
  experiment.settings.peer_networks[3].compute.median = 20ms;
  LoggedAdPsgd<double>::log.clear();
  CHECK(simulate(experiment, Duration{0}).status == RunStatus::done);
  // A peer that has completed 8 iterations more than another waits for the verdict, and starts no iteration.
  CHECK(largest_drift(8, LoggedAdPsgd<double>::log) == 7);
}

TEST_CASE(
    "ad-psgd: with gradients of varying length, and a straggler, a run is as long as that one's gradients") {
  const auto synchronous = with_straggler("d-psgd");
  const auto asynchronous = with_straggler("ad-psgd");
  CHECK(asynchronous.seconds < 0.8 * synchronous.seconds);
  CHECK(asynchronous.seconds < 1.05 * seconds(asynchronous.peers[5].meters.compute));
  // The other peers compute and average meanwhile, without waiting.
  for (PeerId id = 0; id < 8; ++id)
    if (id != 5) {
      CHECK(seconds(synchronous.peers[id].meters.wait) > 0.3 * synchronous.seconds);
      CHECK(seconds(asynchronous.peers[id].meters.wait) < 0.03 * asynchronous.seconds);
    }
}

TEST_CASE("ad-psgd: trains a logistic model as well as D-PSGD does, delays and all") {
  const auto loss_of = [](const std::string& method) {
    const auto experiment = experiment_from<double>(
        "run = { iterations = 400, evaluate_every = 100 }\n"
        "data.source = \"synthetic(samples=1024, features=20, classes=2)\"\n"
        "model = { kind = \"logistic\", l2 = 0.01 }\ntopology = { kind = \"ring\", peers = 8 }\n"
        "network = { latency = \"5 ms\", compute = \"lognormal(5 ms, 1)\" }\n"
        "algorithm = { kind = \"" +
        method + "\", step_size = 0.1, batch = 32 }\n");
    const auto outcome = simulate(experiment, Duration{0});
    CHECK(outcome.status == RunStatus::done);
    CHECK(outcome.evaluations.back().consensus_distance < 0.5);
    return outcome.evaluations.back().loss;
  };
  const double synchronous = loss_of("d-psgd");
  CHECK(loss_of("ad-psgd") == doctest::Approx(synchronous).epsilon(0.02));
}

}  // namespace hearsay::test::ad_psgd_test

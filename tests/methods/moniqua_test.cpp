#include "algorithms/methods/moniqua.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "algorithms/methods/parts/shared_options.hpp"
#include "runtime/observer/observer.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::moniqua_test {

namespace {

constexpr Index dimension = 50;

/// Pure gossip. The models begin far from zero, at `apart` times normal vectors from a common point.
struct Gossip {
  Gossip(const std::string& compressor, double apart, std::uint64_t iterations, double consensus_step = 1.0)
      : experiment(flat_in<double>({"ring", 8}, "moniqua",
                                   {.compressor = compressor,
                                    .iterations = iterations,
                                    .options = {{option::consensus_step, consensus_step}}},
                                   dimension)),
        cluster(experiment, 5) {
    Models<double> start;
    for (PeerId id = 0; id < 8; ++id)
      start.push_back(1000.0 * normal_vector<double>(dimension, 1, 0) +
                      apart * normal_vector<double>(dimension, 2, id));
    cluster.plant_models(start);
    cluster.run();
  }
  Experiment<double> experiment;
  BareCluster<double> cluster;
};

}  // namespace

TEST_CASE("moniqua: models a thousand grids from zero agree through 5 bits a number, and their mean stays") {
  // theta = 0.05 (32 - 2) / 2 = 0.75
  const Gossip gossip("mod(k=32, step=0.05)", 0.1, 300);
  const auto& recording = gossip.cluster.recording();
  const Vector<double> mean = mean_in_double(recording.front());
  for (const auto& peers : recording) CHECK((mean_in_double(peers) - mean).cwiseAbs().maxCoeff() < 1e-9);
  const Models<double> end = models_of(recording.back());
  CHECK(consensus_distance(end, mean_of(end)) / std::sqrt(static_cast<double>(dimension)) <
        0.05);  // about one step of the grid
  for (const auto& peer : recording.back())
    CHECK(peer.sent.front().packet->size() == 35);  // codes take 32 bytes
}

TEST_CASE("moniqua: one bit a number brings the models within a step of the grid, and their mean stays") {
  const Gossip gossip("mod(k=2, step=1, nearest)", 0.1, 300, 0.1);
  const auto& recording = gossip.cluster.recording();
  const Vector<double> mean = mean_in_double(recording.front());
  for (const auto& peers : recording) CHECK((mean_in_double(peers) - mean).cwiseAbs().maxCoeff() < 1e-9);
  const auto apart = [](const auto& peers) {
    const Models<double> models = models_of(peers);
    return consensus_distance(models, mean_of(models)) / std::sqrt(static_cast<double>(dimension));
  };
  CHECK(apart(recording.back()) <= apart(recording.front()));
  for (const auto& peer : recording.back()) {
    CHECK(peer.sent.front().packet->size() == 3 + 7);  // 50 codes of one bit
    for (Index i = 0; i < dimension; ++i) CHECK(std::abs(static_cast<double>(peer.model[i]) - mean[i]) < 1.0);
  }
}

TEST_CASE(
    "moniqua: neighbors out of reach of each other are noticed in the first iteration, not averaged "
    "wrongly") {
  Gossip gossip("mod(k=32, step=0.05)", 10.0, 5);
  bool noticed = false;
  for (PeerId id = 0; id < 8; ++id) {
    const auto& divergence = gossip.cluster.peer(id).divergence();
    noticed |= divergence && !divergence->malformed && divergence->iteration == 1 &&
               divergence->what.find("expected a larger k or step") != std::string::npos;
  }
  CHECK(noticed);
}

}  // namespace hearsay::test::moniqua_test

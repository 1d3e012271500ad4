#include "algorithms/methods/power_gossip.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "algorithms/methods/parts/shared_options.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::power_gossip_test {

namespace {

/// An objective without slope. Its model is a 6 x 4 matrix and a vector of 3.
class FlatLayers final : public Objective<double> {
 public:
  Index dimension() const override { return 27; }
  Index sample_count() const override { return 1; }
  SegmentTable segments() const override { return {{"matrix", 0, 6, 4}, {"vector", 24, 3, 1}}; }
  double loss(const Vector<double>&) const override { return 0.0; }
  void gradient(const Vector<double>&, std::span<const Index>, Vector<double>& gradient) const override {
    gradient.setZero();
  }
};

Recording<double> gossip(PeerId peers, const std::string& family, std::uint64_t iterations,
                         MethodOptions options, const Models<double>& start, std::uint64_t seed = 1) {
  Problem<double> problem;
  for (PeerId id = 0; id < peers; ++id) problem.objectives.push_back(std::make_unique<FlatLayers>());
  problem.initial = Vector<double>::Zero(27);
  RunSettings settings =
      settings_of("power-gossip", {family, peers}, {.iterations = iterations, .options = std::move(options)});
  settings.run.seed = seed;
  const auto experiment = prepare<double>(settings, std::move(problem));
  BareCluster<double> cluster(experiment, 3);
  cluster.plant_models(start);
  cluster.run();
  return cluster.recording();
}

double largest_difference(const std::vector<PeerRecord<double>>& peers) {
  double largest = 0.0;
  for (const auto& peer : peers)
    largest = std::max(largest, (peer.model - peers.front().model).cwiseAbs().maxCoeff());
  return largest;
}

}  // namespace

TEST_CASE(
    "power-gossip: a difference of rank 2 is gone after two iterations at rank 2, w = 1/2, and not at rank "
    "1") {
  // The first iteration uses random directions, the second those of the difference.
  Models<double> start(2, Vector<double>::Zero(27));
  for (int k = 0; k < 2; ++k) {
    const auto left = normal_vector<double>(6, 1, static_cast<PeerId>(k));
    const auto right = normal_vector<double>(4, 2, static_cast<PeerId>(k));
    for (Index i = 0; i < 6; ++i) start[1].segment(4 * i, 4) += left[i] * right;
  }
  start[1].tail(3) << 1.0, -2.0, 3.0;
  const auto of_rank = [&](std::uint64_t rank) {
    return largest_difference(gossip(2, "complete", 2, {{option::rank, rank}}, start).back());
  };
  CHECK(of_rank(2) < 1e-12);
  CHECK(of_rank(1) > 1e-3);
}

TEST_CASE("power-gossip: at full rank, w = 1/2, the consensus step is the share of a difference that goes") {
  // Both ends move by gamma/2 of the difference, in matrix and vector alike. A 6 x 4 matrix has 4 directions,
  // so all are exchanged.
  Models<double> start = {Vector<double>::Zero(27), normal_vector<double>(27, 47, 1)};
  for (const double gamma : {0.25, 0.5, 1.5}) {
    const auto recording =
        gossip(2, "complete", 3, {{option::consensus_step, gamma}, {option::rank, 4}}, start);
    for (std::size_t t = 0; t < recording.size(); ++t) {
      const Vector<double> left = recording[t][1].model - recording[t][0].model;
      const Vector<double> expected = std::pow(1.0 - gamma, static_cast<double>(t)) * start[1];
      CHECK((left - expected).cwiseAbs().maxCoeff() < 1e-12);
    }
  }
}

TEST_CASE("power-gossip: the mean stays, and the peers agree") {
  Models<double> start;
  Vector<double> mean = Vector<double>::Zero(27);
  for (PeerId id = 0; id < 5; ++id) {
    start.push_back(normal_vector<double>(27, 41, id));
    mean += start.back() / 5.0;
  }
  const auto recording = gossip(5, "ring", 400, {{option::consensus_step, 1.0}}, start);
  for (const auto& peers : recording) CHECK((mean_in_double(peers) - mean).cwiseAbs().maxCoeff() < 1e-13);
  CHECK(largest_difference(recording.back()) < 1e-9);
}

TEST_CASE("power-gossip: both ends of an edge hold the same directions, bit for bit") {
  Models<double> start;
  for (PeerId id = 0; id < 2; ++id) start.push_back(normal_vector<double>(27, 43, id));
  for (const auto& peers : gossip(2, "complete", 9, {{option::rank, 2}}, start))
    for (const std::string side : {"right directions with ", "left directions with "})
      CHECK(peers[0].states.at(side + "1") == peers[1].states.at(side + "0"));
}

TEST_CASE("power-gossip: the first directions are those of the run's seed") {
  Models<double> start;
  for (PeerId id = 0; id < 2; ++id) start.push_back(normal_vector<double>(27, 43, id));
  const auto after = [&](std::uint64_t seed) {
    return gossip(2, "complete", 1, {{option::rank, 1}}, start, seed).back()[0].model;
  };
  CHECK(after(1) == after(1));
  CHECK((after(1) - after(2)).cwiseAbs().maxCoeff() > 1e-3);
}

TEST_CASE("power-gossip: a message is a row or a column of every matrix, and the rest in full") {
  Models<double> start(2, Vector<double>::Zero(27));
  const auto recording = gossip(2, "complete", 4, {}, start);
  for (std::size_t t = 1; t <= 4; ++t)
    CHECK(recording[t][0].sent.front().packet->size() == 8 * ((t % 2 == 1 ? 6 : 4) + 3));
}

TEST_CASE("power-gossip: a rank beyond a layer's shorter side is that side, and agrees at once") {
  Models<double> start;
  for (PeerId id = 0; id < 2; ++id) start.push_back(normal_vector<double>(27, 5, id));
  const Recording<double> full = gossip(2, "complete", 6, {{option::rank, 4}}, start);
  for (const std::uint64_t rank : {5, 20, 1'000'000'000}) {
    const Recording<double> recording = gossip(2, "complete", 6, {{option::rank, rank}}, start);
    CAPTURE(rank);
    for (PeerId id = 0; id < 2; ++id) CHECK(recording.back()[id].model == full.back()[id].model);
    CHECK(recording[1][0].sent.front().packet->size() == (4 * 6 + 3) * sizeof(double));
  }
  CHECK(largest_difference(full[1]) < 1e-13);
}

TEST_CASE("power-gossip: differences of a lower rank than asked for do not turn rounding into directions") {
  // A difference of rank 1 is exchanged at rank 4: three columns of every D depend on the first.
  Models<double> start(8, Vector<double>::Zero(27));
  for (PeerId id = 0; id < 8; ++id) {
    const auto left = normal_vector<double>(6, 1, 0);
    const auto right = normal_vector<double>(4, 2, 0);
    for (Index i = 0; i < 6; ++i) start[id].segment(4 * i, 4) = (1.0 + id) * left[i] * right;
  }
  const Recording<double> recording = gossip(8, "ring", 400, {{option::rank, 4}}, start);
  double before = largest_difference(recording.front());
  for (std::size_t t = 1; t < recording.size(); ++t) {
    const double now = largest_difference(recording[t]);
    CHECK(now <= before * (1.0 + 1e-9) + 1e-12);
    before = now;
  }
  CHECK(before < 1e-10);
}

}  // namespace hearsay::test::power_gossip_test

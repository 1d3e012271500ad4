#include <doctest/doctest.h>

#include "algorithms/arithmetic/wire_scalar.hpp"
#include "tests/methods/digraph.hpp"
#include "tests/methods/optimum.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace hearsay::test::sgp_test {

namespace {

/// A directed graph: strongly connected, not regular, with hardly any mutual link.
const std::vector<Arc> arcs = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 0},
                               {0, 2}, {0, 3}, {0, 4}, {2, 4}, {4, 2}};
constexpr PeerId peer_count = 6;

template <class Scalar>
Experiment<Scalar> on_digraph(Experiment<Scalar> experiment) {
  experiment.schedule = std::make_shared<Digraph>(peer_count, arcs);
  return experiment;
}

template <class Scalar>
Experiment<Scalar> quadratics(const Plan& plan) {
  return on_digraph(quadratics_in<Scalar>({"complete", peer_count}, "sgp", plan));
}

template <class Scalar>
Recording<Scalar> gossip(const Experiment<Scalar>& experiment, Index dimension) {
  Models<Scalar> start;
  for (PeerId id = 0; id < experiment.peer_count(); ++id)
    start.push_back(normal_vector<Scalar>(dimension, 23, id));
  BareCluster<Scalar> cluster(experiment, 1);
  cluster.plant(start);
  cluster.run();
  return cluster.recording();
}

template <class Scalar>
double weight_of(const PeerRecord<Scalar>& peer) {
  return peer.states.at("weight")[0];
}

template <class Scalar>
double sum_of_weights(const std::vector<PeerRecord<Scalar>>& peers) {
  double sum = 0.0;
  for (const auto& peer : peers) sum += weight_of(peer);
  return sum;
}

/// sum_i x_i = sum_i u_i z_i
Vector<double> sum_of_numerators(const std::vector<PeerRecord<double>>& peers) {
  Vector<double> sum = Vector<double>::Zero(peers.front().model.size());
  for (const auto& peer : peers) sum += weight_of(peer) * peer.model;
  return sum;
}

}  // namespace

TEST_CASE("sgp: on an irregular digraph the ratios agree on the mean where the sums alone do not") {
  constexpr Index dimension = 16;
  const auto recording =
      gossip(on_digraph(flat_in<double>({"complete", peer_count}, "sgp", {.iterations = 200}, dimension)),
             dimension);
  const Vector<double> mean = mean_in_double(recording.front());
  CHECK(largest_distance(recording.front(), mean) > 1.0);
  CHECK(largest_distance(recording.back(), mean) < 1e-13);
  double off = 0.0;
  for (const auto& peer : recording.back())
    off = std::max(off, (weight_of(peer) * peer.model - mean).cwiseAbs().maxCoeff());
  CHECK(off > 0.15);
}

TEST_CASE("sgp: the weights sum to the number of peers, and differ") {
  for (const auto& peers : record_run(quadratics<double>({.iterations = 500}))) {
    CHECK(std::abs(sum_of_weights(peers) - peer_count) < 1e-12);
  }
  const auto in_float = record_run(quadratics<float>({.iterations = 500}));
  CHECK(std::abs(sum_of_weights(in_float.back()) - peer_count) < 1e-4);
  CHECK(weight_of(in_float.back()[4]) > 2 * weight_of(in_float.back()[1]));
}

TEST_CASE("sgp: the sums move by the gradients alone, what is under way included") {
  const auto experiment = quadratics<double>({.iterations = 40});
  const auto recording = record_run(experiment);
  const Index sample = 0;
  for (std::size_t t = 1; t < recording.size(); ++t) {
    Vector<double> expected = sum_of_numerators(recording[t - 1]);
    Vector<double> under_way = Vector<double>::Zero(expected.size());
    Vector<double> kept = under_way;
    for (PeerId id = 0; id < peer_count; ++id) {
      Vector<double> gradient(expected.size());
      experiment.problem.objectives[id]->gradient(recording[t - 1][id].model, {&sample, 1}, gradient);
      expected -= 0.1 * gradient;
      // Every message carries the ratios and a share of the weight. The sender keeps one such share.
      Vector<double> mass(expected.size());
      for (const Outgoing& sent : recording[t][id].sent) {
        for (Index k = 0; k < mass.size(); ++k)
          mass[k] = read_scalar<double>(sent.packet->bytes(), static_cast<std::size_t>(k));
        mass *= read_scalar<double>(sent.packet->bytes(), static_cast<std::size_t>(mass.size()));
        under_way += mass;
      }
      kept += mass;
    }
    CHECK((under_way + kept - expected).cwiseAbs().maxCoeff() < 1e-13);
    CHECK((sum_of_numerators(recording[t]) - expected).cwiseAbs().maxCoeff() < 1e-13);
    CHECK(under_way.cwiseAbs().maxCoeff() > 0.1);
  }
}

TEST_CASE("sgp: equal models without gradients stay on an irregular digraph, bit for bit") {
  const auto experiment = on_digraph(
      quadratics_in<float>({"complete", peer_count}, "sgp", {.iterations = 50}, Shared::minimiser));
  for (const auto& peers : record_run(experiment))
    for (const auto& peer : peers) CHECK(peer.model == experiment.problem.initial);
}

TEST_CASE("sgp: as the step shrinks the limit is the optimum of the sum, averages of what is heard miss it") {
  // A constant step leaves a bias in proportion to it. So twice the limit of half the step, minus the limit
  // of the whole step, has hardly any bias.
  const auto extrapolated = [](const std::string& method) {
    const auto limit = [&](double step_size) {
      const Plan plan{.iterations = 8000, .step_size = step_size};
      return record_run(on_digraph(quadratics_in<double>({"complete", peer_count}, method, plan))).back();
    };
    auto peers = limit(0.005);
    const auto of_twice_the_step = limit(0.01);
    for (PeerId id = 0; id < peer_count; ++id)
      peers[id].model = (2 * peers[id].model - of_twice_the_step[id].model).eval();
    return peers;
  };
  const Vector<double> optimum = quadratic_optimum(19, peer_count);
  CHECK(largest_distance(extrapolated("sgp"), optimum) < 1e-3);
  CHECK(largest_distance(extrapolated("d-psgd"), optimum) > 0.2);
}

TEST_CASE("sgp: where all hear equally many every weight stays 1, and it is gossip after the gradient step") {
  for (const World& world : std::vector<World>{{"ring", 8},
                                               {"complete", 4},
                                               {"hypercube", 8},
                                               {"exponential", 8, "metropolis", "one-peer-exponential"}}) {
    CAPTURE(world.name());
    const auto pushed = record_run(quadratics_in<double>(world, "sgp", {}));
    const auto mixed = record_run(quadratics_in<double>(world, "dspg", {}));
    for (PeerId id = 0; id < world.peers; ++id) {
      CHECK(weight_of(pushed.back()[id]) == doctest::Approx(1.0).epsilon(1e-15));
      CHECK((pushed.back()[id].model - mixed.back()[id].model).cwiseAbs().maxCoeff() < 1e-14);
    }
  }
}

TEST_CASE("sgp: one peer at a time averages exactly in log2 n rounds") {
  const auto recording = gossip(
      flat_in<double>({"exponential", 8, "metropolis", "one-peer-exponential"}, "sgp", {.iterations = 3}, 16),
      16);
  const Vector<double> mean = mean_in_double(recording.front());
  CHECK(largest_distance(recording[2], mean) > 0.1);
  CHECK(largest_distance(recording[3], mean) < 1e-15);
}

TEST_CASE("sgp: a message of another length is reported, in the last iteration") {
  const auto experiment = quadratics<double>({.iterations = 4});
  for (const std::size_t bytes : {0, 8 * 19, 8 * 20 - 1, 8 * 21}) {
    CAPTURE(bytes);
    BareCluster<double> cluster(experiment, 1);
    PacketPool packets;
    cluster.tamper = [&](const Outgoing& sent) {
      if (sent.key.iteration != 4 || sent.key.sender != 0 || sent.to != 2) return sent.packet;
      PacketBuffer buffer = packets.acquire();
      buffer.resize(bytes);
      return std::move(buffer).seal();
    };
    cluster.run();
    for (PeerId id = 0; id < peer_count; ++id) {
      const auto& divergence = cluster.peer(id).divergence();
      REQUIRE(divergence.has_value() == (id == 2));
      if (divergence) CHECK(divergence->malformed);
    }
  }
}

TEST_CASE("sgp: a topology file's one-way links are such a digraph, which other gossip is refused on") {
  const TemporaryFolder folder("hearsay_sgp");
  std::string text = "peers = 6\n";
  for (const Arc& arc : arcs) {
    if (arc.from == 4 && arc.to == 2) continue;  // 2 and 4 hear each other: one link both ways
    text += "[[link]]\nfrom = " + std::to_string(arc.from) + "\nto = " + std::to_string(arc.to) + "\n";
    if (arc.from != 2 || arc.to != 4) text += "one_way = true\n";
  }
  const auto file = folder.write("digraph.toml", text);
  const auto on_file = [&](const std::string& method, const std::string& schedule = "static") {
    RunSettings settings = settings_of(method, {"ring", peer_count, "auto"}, {});
    settings.topology.file = file;
    settings.topology.schedule = schedule;
    return prepare<double>(settings, quadratic_problem<double>(19, first_peers(peer_count), Shared::nothing));
  };
  const auto of_file = record_run(on_file("sgp"));
  const auto of_test = record_run(quadratics<double>({}));
  for (PeerId id = 0; id < peer_count; ++id) CHECK(of_file.back()[id].model == of_test.back()[id].model);

  CHECK(misuse_text([&] { on_file("d-psgd"); }) ==
        "algorithm.kind = d-psgd: the topology has one-way links, and averages along them favor some peers; "
        "expected sgp, or links both ways");
  CHECK(misuse_text([&] { on_file("allreduce-sgd"); }) == "");  // it sends along a ring, not along the links
  CHECK(
      misuse_text([&] { on_file("sgp", "random-matchings"); }) ==
      "topology.schedule = random-matchings: the topology has one-way links; expected static, or links both "
      "ways");
}

}  // namespace hearsay::test::sgp_test

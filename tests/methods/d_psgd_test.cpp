#include <doctest/doctest.h>

#include <cmath>

#include "runtime/observer/observer.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/worlds.hpp"
#include "topology/families.hpp"
#include "topology/spectrum.hpp"

namespace hearsay::test::d_psgd_test {

namespace {

template <class Scalar>
Models<Scalar> random_models(PeerId peers, Index dimension) {
  Models<Scalar> models;
  for (PeerId id = 0; id < peers; ++id) models.push_back(normal_vector<Scalar>(dimension, 23, id));
  return models;
}

template <class Scalar>
Models<Scalar> whole_number_models(PeerId peers, Index dimension) {
  Models<Scalar> models(peers, Vector<Scalar>(dimension));
  RandomStream random(8, 0, 0, Purpose::data);
  for (Vector<Scalar>& model : models)
    for (Scalar& entry : model) entry = static_cast<Scalar>(random.below(1024));
  return models;
}

template <class Scalar>
Recording<Scalar> gossip(const World& world, const Models<Scalar>& start, std::uint64_t rounds) {
  const auto experiment = flat_in<Scalar>(world, "d-psgd", {.iterations = rounds}, start.front().size());
  BareCluster<Scalar> cluster(experiment, 1);
  cluster.plant(start);
  cluster.run();
  return cluster.recording();
}

template <class Scalar>
double disagreement(const std::vector<PeerRecord<Scalar>>& peers) {
  const Models<Scalar> models = models_of(peers);
  return consensus_distance(models, mean_of(models));
}

const std::vector<World> symmetric_worlds = {
    {"ring", 2},      {"ring", 3},         {"ring", 8},
    {"path", 5},      {"star", 6},         {"torus(4x4)", 16},
    {"hypercube", 8}, {"ring", 8, "lazy"}, {"star", 6, "best-constant"}};

template <class Scalar>
void check_contraction(const World& world) {
  CAPTURE(world.name());
  const double rho = spectrum(make_mixing(world.weights, make_graph(world.family, world.peers, 1))).rho;
  const auto recording = gossip(world, random_models<Scalar>(world.peers, 16), 10);
  const double start = disagreement(recording[0]);
  const double rounding = (std::is_same_v<Scalar, float> ? 1e-6 : 1e-15) * start;
  for (std::size_t t = 1; t < recording.size(); ++t)
    CHECK(disagreement(recording[t]) <= rho * disagreement(recording[t - 1]) + rounding);
}

/// Returns entry `id` of an eigenvector of W for its second eigenvalue.
double second_eigenvector(const World& world, PeerId id) {
  const double pi = std::acos(-1.0);
  if (world.family == "ring") return std::cos(2 * pi * id / world.peers + 0.3);
  if (world.family == "path") return std::cos(pi * (id + 0.5) / world.peers);
  return id % 2 == 0 ? 1.0 : -1.0;  // hypercube: the halves of one dimension
}

}  // namespace

TEST_CASE("gossip: a round contracts the consensus distance by at most rho") {
  for (const World& world : symmetric_worlds) {
    check_contraction<float>(world);
    check_contraction<double>(world);
  }
}

TEST_CASE("gossip: started in the second eigenvector, every round shrinks it by exactly lambda_2") {
  for (const World& world : std::vector<World>{{"ring", 8}, {"ring", 16}, {"path", 5}, {"hypercube", 8}}) {
    CAPTURE(world.name());
    const double second =
        spectrum(make_mixing(world.weights, make_graph(world.family, world.peers, 1))).second;
    Models<double> start;
    for (PeerId id = 0; id < world.peers; ++id)
      start.push_back(Vector<double>::Constant(3, second_eigenvector(world, id)));
    const auto recording = gossip(world, start, 10);
    for (std::size_t t = 1; t < recording.size(); ++t)
      for (PeerId id = 0; id < world.peers; ++id)
        CHECK(recording[t][id].model[0] ==
              doctest::Approx(second * recording[t - 1][id].model[0]).epsilon(1e-12).scale(1e-3));
  }
}

TEST_CASE("gossip: the complete graph with equal weights agrees in one round") {
  const auto recording = gossip({"complete", 5}, random_models<double>(5, 16), 1);
  CHECK(disagreement(recording[1]) < 1e-15);
}

TEST_CASE("gossip: hypercube matchings make all peers agree in log2 n rounds, on dyadic models bit for bit") {
  // x + (y - x)/2 and y + (x - y)/2 may differ in the last bit, unlike (x + y)/2: the price of the
  // edge-difference form, in which agreement is a fixed point.
  const World world{"hypercube", 8, "metropolis", "hypercube-matchings"};
  const auto recording = gossip(world, random_models<double>(8, 16), 3);
  CHECK(disagreement(recording[2]) > 0.1);
  CHECK(disagreement(recording[3]) < 1e-15);

  const auto exact = gossip(world, whole_number_models<float>(8, 16), 3);
  for (PeerId id = 0; id < 8; ++id) CHECK(exact[3][id].model.cast<double>() == mean_in_double(exact[0]));
}

TEST_CASE("d-psgd: on W = J every model is the mean model less its own gradient step, never more") {
  // Combine, then adapt: x_i+ = mean x - eta grad f_i(x_i), so x_i+ + eta grad f_i(x_i) is the same for all.
  const auto experiment = quadratics_in<double>({"complete", 5}, "d-psgd", {});
  const auto recording = record_run(experiment);
  const Index sample = 0;
  for (std::size_t t = 1; t < recording.size(); ++t) {
    const Vector<double> mean = mean_in_double(recording[t - 1]);
    for (PeerId id = 0; id < 5; ++id) {
      Vector<double> gradient(mean.size());
      experiment.problem.objectives[id]->gradient(recording[t - 1][id].model, {&sample, 1}, gradient);
      CHECK((recording[t][id].model + 0.1 * gradient - mean).cwiseAbs().maxCoeff() < 1e-14);
    }
  }
}

TEST_CASE(
    "d-psgd: where all peers have the same curvature the mean model is centralized SGD's, else it is not") {
  // Gradients are then affine with one slope, so their mean is the gradient at the mean.
  for (const World& world : std::vector<World>{{"complete", 5}, {"ring", 8}}) {
    const auto distance = [&](Shared shared) {
      const auto gossiped = record_run(quadratics_in<double>(world, "d-psgd", {}, shared));
      const auto centralized = record_run(quadratics_in<double>(world, "allreduce-sgd", {}, shared));
      return (mean_in_double(gossiped.back()) - centralized.back()[0].model).cwiseAbs().maxCoeff();
    };
    CHECK(distance(Shared::curvature) < 1e-14);
    CHECK(distance(Shared::nothing) > 1e-4);
  }
}

TEST_CASE("d-psgd: the limit with full gradients solves X = W X - eta grad(X)") {
  const auto experiment = quadratics_in<double>({"ring", 8}, "d-psgd", {.iterations = 600});
  const auto recording = record_run(experiment);
  for (PeerId id = 0; id < 8; ++id)
    CHECK((recording[600][id].model - recording[599][id].model).cwiseAbs().maxCoeff() < 1e-14);
}

TEST_CASE("gossip: where nothing is rounded the mean is conserved exactly") {
  for (const World& world : std::vector<World>{{"hypercube", 8}, {"ring", 8, "lazy"}, {"complete", 4}}) {
    // Halves and quarters of small whole numbers fit a double for many rounds; sixths do not.
    const auto recording = gossip(world, whole_number_models<double>(world.peers, 6), 8);
    const bool dyadic = world.family != "ring";
    for (const auto& peers : recording)
      if (dyadic)
        CHECK(mean_in_double(peers) == mean_in_double(recording[0]));
      else
        CHECK((mean_in_double(peers) - mean_in_double(recording[0])).cwiseAbs().maxCoeff() < 1e-12);
    CHECK(recording[1][0].model != recording[0][0].model);
  }
}

}  // namespace hearsay::test::d_psgd_test

#include <doctest/doctest.h>

#include <cmath>

#include "algorithms/stability/dcd_limit.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/observer/observer.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/worlds.hpp"
#include "topology/dense_mixing.hpp"
#include "topology/families.hpp"

namespace hearsay::test::dcd_psgd_test {

namespace {

const World ring_of_8 = {"ring", 8};

template <class Scalar>
double disagreement(const std::vector<PeerRecord<Scalar>>& peers) {
  const Models<Scalar> models = models_of(peers);
  return consensus_distance(models, mean_of(models));
}

/// Returns the consensus distance after `rounds` rounds of pure DCD gossip from random models, relative to
/// the start.
template <class Scalar>
double left_after_gossip(const std::string& compressor, std::uint64_t rounds, std::uint64_t seed) {
  const Index dimension = 200;
  const auto experiment = flat_in<Scalar>(
      ring_of_8, "dcd-psgd", {.compressor = compressor, .iterations = rounds, .seed = seed}, dimension);
  Models<Scalar> start;
  for (PeerId id = 0; id < 8; ++id) start.push_back(normal_vector<Scalar>(dimension, 31, id));
  BareCluster<Scalar> cluster(experiment, 1);
  cluster.plant(start);
  cluster.run();
  return disagreement(cluster.recording().back()) / disagreement(cluster.recording().front());
}

Models<double> last_models(const std::string& method, const std::string& compressor,
                           std::uint64_t iterations) {
  return models_of(record_run(quadratics_in<double>(
                                  ring_of_8, method,
                                  {.compressor = compressor, .iterations = iterations, .step_size = 0.05}))
                       .back());
}

double largest_distance(const Models<double>& a, const Models<double>& b) {
  double distance = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
    distance = std::max(distance, (a[i] - b[i]).cwiseAbs().maxCoeff());
  return distance;
}

MixingMatrix mixing_of(const World& world) {
  return make_mixing(world.weights, make_graph(world.family, world.peers, 1));
}

double limit_on(const World& world) { return DcdLimit::of(mixing_of(world))->omega(); }

/// Returns the asymptotic growth per round of M -> W M W + omega Diag((W - I) M (W - I)) on the consensus
/// subspace.
double second_moment_growth(const World& world, double omega) {
  const Eigen::MatrixXd W = dense(mixing_of(world));
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(W.rows(), W.rows());
  const Eigen::MatrixXd P = I.array() - 1.0 / static_cast<double>(W.rows());
  Eigen::MatrixXd M = P;
  double growth = 0.0;
  for (int round = 0; round < 1000; ++round) {
    const Eigen::MatrixXd noise = omega * ((W - I) * M * (W - I));
    M = P * (W * M * W + Eigen::MatrixXd(noise.diagonal().asDiagonal())) * P;
    growth = M.trace();
    M /= growth;
  }
  return growth;
}

}  // namespace

TEST_CASE("dcd: unbiased rand-k is stable at 50 % and blows up at 30 % on a ring of 8") {
  // omega = d/k - 1 is 1 and 2.33; the limit is 1.366.
  for (const std::uint64_t seed : {1, 2, 3}) {
    CAPTURE(seed);
    CHECK(left_after_gossip<float>("randk(50%, scaled)", 300, seed) < 1e-3);
    CHECK(left_after_gossip<double>("randk(50%, scaled)", 300, seed) < 1e-3);
    CHECK(left_after_gossip<float>("randk(30%, scaled)", 100, seed) > 1e3);
    CHECK(left_after_gossip<double>("randk(30%, scaled)", 100, seed) > 1e3);
  }
}

TEST_CASE("dcd: the tolerated omega is the closed form where W is circulant, the known value elsewhere") {
  CHECK(limit_on({"ring", 8}) == doctest::Approx(1.366).epsilon(5e-4));
  CHECK(limit_on({"ring", 16}) == doctest::Approx(1.366).epsilon(5e-4));
  CHECK(limit_on({"ring", 4}) == doctest::Approx(4.0 / 3.0).epsilon(1e-8));
  CHECK(limit_on({"torus(4x4)", 16}) == doctest::Approx(1.067).epsilon(5e-4));
  CHECK(limit_on({"hypercube", 8}) == doctest::Approx(8.0 / 7.0).epsilon(1e-8));
  CHECK(limit_on({"path", 8}) == doctest::Approx(1.431).epsilon(5e-4));
  CHECK(limit_on({"star", 8}) == doctest::Approx(1.302).epsilon(5e-4));
  for (const PeerId n : {2, 5, 8})
    CHECK(limit_on({"complete", n}) == doctest::Approx(n / (n - 1.0)).epsilon(1e-8));
  CHECK(limit_on({"ring", 8, "lazy"}) > 2 * limit_on({"ring", 8}));
}

TEST_CASE("dcd: the tolerated omega of a ring is n / sum (1 - l)/(1 + l), worked out from its eigenvalues") {
  const double pi = std::acos(-1.0);
  for (const PeerId n : {3, 5, 8, 16, 64, 128}) {
    double sum = 0.0;
    for (PeerId k = 1; k < n; ++k) {
      const double eigenvalue = 1.0 / 3.0 + 2.0 / 3.0 * std::cos(2 * pi * k / n);
      sum += (1 - eigenvalue) / (1 + eigenvalue);
    }
    CHECK(limit_on({"ring", n}) == doctest::Approx(n / sum).epsilon(1e-12));
  }
}

TEST_CASE("dcd: the tolerated omega of a ring does not depend on how its peers are numbered") {
  // Shuffled, the matrix is no longer circulant. So the limit comes from the eigenvectors, and equals the
  // closed form.
  const PeerId n = 15;
  std::vector<Edge> edges;
  for (PeerId k = 0; k < n; ++k) {
    const PeerId a = k * 4 % n;
    const PeerId b = (k + 1) * 4 % n;
    edges.push_back({std::min(a, b), std::max(a, b)});
  }
  const PeerId swapped[] = {3, 1, 2, 0, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
  for (Edge& edge : edges) {
    const auto [low, high] = std::minmax(swapped[edge.a], swapped[edge.b]);
    edge = {low, high};
  }
  const MixingMatrix shuffled = MixingMatrix::metropolis(Graph(n, edges));
  CHECK(DcdLimit::of(shuffled)->omega() == doctest::Approx(limit_on({"ring", n})).epsilon(1e-10));
  CHECK(DcdLimit::of(shuffled)->omega(0.5) == doctest::Approx(limit_on({"ring", n, "lazy"})).epsilon(1e-10));
}

TEST_CASE("dcd: the self weight that makes a compressor stable is the one of the matrix whose limit it is") {
  for (const World& world : std::vector<World>{{"ring", 8}, {"star", 8}, {"grid(3x3)", 9}}) {
    CAPTURE(world.name());
    const MixingMatrix mixing = mixing_of(world);
    const double wanted = 2.0 * limit_on(world);
    const double self_weight = DcdLimit::of(mixing)->self_weight_for(wanted);
    double smallest = 1.0;
    for (PeerId id = 0; id < world.peers; ++id) smallest = std::min(smallest, mixing.row(id).self_weight);
    const double a = (self_weight - smallest) / (1.0 - smallest);
    CHECK(DcdLimit::of(mixing)->omega(a) == doctest::Approx(wanted).epsilon(1e-4));
    CHECK(DcdLimit::of(mixing)->omega(a - 0.01) < wanted);
  }
}

TEST_CASE("dcd: the limit of a large circulant matrix costs nothing, of a large other one it is left out") {
  CHECK(limit_on({"ring", 4096}) == doctest::Approx(1.366).epsilon(5e-4));
  CHECK_FALSE(DcdLimit::of(mixing_of({"path", 300})));
  CHECK_FALSE(DcdLimit::of(mixing_of({"torus(30x40)", 1200})));
}

TEST_CASE("dcd: where all peers are alike the eigenvalues give the tolerated omega, of many peers, too") {
  const double pi = std::acos(-1.0);
  const auto of_torus = [pi](int rows, int columns) {
    double sum = 0.0;
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) {
        const double waves = std::cos(2 * pi * i / rows) + std::cos(2 * pi * j / columns);
        const double eigenvalue = 0.2 + 0.4 * waves;
        sum += (1 - eigenvalue) / (1 + eigenvalue);
      }
    return rows * columns / sum;
  };
  CHECK(limit_on({"torus(3x5)", 15}) == doctest::Approx(of_torus(3, 5)).epsilon(1e-10));
  CHECK(limit_on({"torus(16x17)", 272}) == doctest::Approx(of_torus(16, 17)).epsilon(1e-10));
  CHECK(limit_on({"hypercube", 16}) == doctest::Approx(of_torus(4, 4)).epsilon(1e-10));  // the same graph
  // A grid has borders: its corners receive less noise than its middle.
  CHECK_FALSE(DcdLimit::of(mixing_of({"grid(16x17)", 272})));
}

TEST_CASE(
    "dcd: just below the tolerated omega the second moment of disagreement shrinks, just above it grows") {
  for (const World& world : std::vector<World>{{"ring", 8},
                                               {"path", 8},
                                               {"star", 8},
                                               {"complete", 5},
                                               {"torus(4x4)", 16},
                                               {"grid(3x3)", 9},
                                               {"ring", 8, "lazy"}}) {
    CAPTURE(world.name());
    CHECK(second_moment_growth(world, 0.999 * limit_on(world)) < 1.0);
    CHECK(second_moment_growth(world, 1.001 * limit_on(world)) > 1.0);
  }
}

TEST_CASE("dcd: with full gradients its limit is D-PSGD's, whatever is compressed, naive has a floor") {
  const Models<double> limit = last_models("d-psgd", "none", 1500);
  for (const std::string compressor : {"dither(linf, bits=8, bucket=512)", "dither(linf, bits=4, bucket=512)",
                                       "randk(60%, scaled)", "qsgd(bits=6, bucket=512)"}) {
    CAPTURE(compressor);
    CHECK(largest_distance(last_models("dcd-psgd", compressor, 1500), limit) < 1e-11);
    CHECK(largest_distance(last_models("naive", compressor, 1500), limit) > 1e-3);
  }
}

TEST_CASE("dcd: on a coarse fixed grid it stalls") {
  const Models<double> limit = last_models("d-psgd", "none", 1500);
  CHECK(largest_distance(last_models("dcd-psgd", "grid(0.5)", 1500), limit) > 0.2);
}

TEST_CASE("dcd: a message that is lost is seen in the digests, and never heals") {
  const auto experiment = quadratics_in<double>(ring_of_8, "dcd-psgd", {.iterations = 200});
  BareCluster<double> cluster(experiment, 1);
  // In iteration 5 peer 3 hears "no change" from peer 2, instead of the packet that peer 2 sent.
  PacketPool packets;
  PacketBuffer nothing = packets.acquire();
  const Vector<double> zero = Vector<double>::Zero(experiment.problem.dimension());
  RandomStream random(1, 0, 0, Purpose::compression);
  make_compressor<double>(experiment.settings.algorithm.compressor,
                          experiment.problem.objectives[0]->segments())
      ->encode({view(zero), random}, nothing);
  const PacketRef no_change = std::move(nothing).seal();
  int lost = 0;
  cluster.tamper = [&](const Outgoing& sent) {
    if (sent.key.iteration != 5 || sent.key.sender != 2 || sent.to != 3) return sent.packet;
    ++lost;
    return no_change;
  };
  cluster.run();
  REQUIRE(lost == 1);

  int broken = 0;
  for (PeerId holder = 0; holder < 8; ++holder)
    for (const auto& replica : digest_state(cluster.peer(holder).algorithm()).replicas)
      if (replica.second != *digest_state(cluster.peer(replica.first).algorithm()).published) {
        ++broken;
        CHECK(holder == 3);
        CHECK(replica.first == 2);
      }
  CHECK(broken == 1);

  // The offset is the lost packet, up to the rounding of 200 additions on either side.
  const auto offset = [&](std::size_t t) -> Vector<double> {
    for (const auto& [owner, copy] : cluster.recording()[t][3].replicas)
      if (owner == 2) return copy - cluster.recording()[t][2].model;
    return {};
  };
  CHECK(offset(4).norm() == 0.0);
  CHECK(offset(5).norm() > 1e-3);
  CHECK((offset(200) - offset(5)).norm() < 1e-12);
}

}  // namespace hearsay::test::dcd_psgd_test

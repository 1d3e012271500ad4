// The predicted limits of the consensus step, against formulas, second moments of whole networks, and real
// runs.
#include "algorithms/stability/consensus_limit.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/observer/observer.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/worlds.hpp"
#include "topology/dense_mixing.hpp"
#include "topology/families.hpp"

namespace hearsay::test::consensus_limit_test {

namespace {

MixingMatrix mixing_of(const World& world) {
  return make_mixing(world.weights, make_graph(world.family, world.peers, 1));
}

MethodOptions defaults_of(const std::string& method) { return find_method(method).options; }

double limit_of(const std::string& method, const World& world, const LinearError& error) {
  const auto limit = ConsensusLimit::of(mixing_of(world), find_method(method));
  REQUIRE(limit.has_value());
  return limit->largest_step(defaults_of(method), error);
}

/// A method without gradients on the whole network: how the state of all peers becomes the next state, and
/// what the noise adds. Every method follows its own box, on whole matrices.
struct Network {
  Eigen::MatrixXd step;
  Eigen::MatrixXd noise;       // one column per peer
  Eigen::MatrixXd compressed;  // one row per peer
};

Network network_of(const std::string& method, const World& world, double gamma, double keep) {
  const Eigen::MatrixXd W = dense(mixing_of(world));
  const Eigen::Index n = W.rows();
  const Eigen::MatrixXd I = Eigen::MatrixXd::Identity(n, n);
  const Eigen::MatrixXd O = Eigen::MatrixXd::Zero(n, n);
  const Eigen::MatrixXd G = gamma * (W - I);
  const auto stack = [n](const std::vector<Eigen::MatrixXd>& blocks, Eigen::Index columns) {
    Eigen::MatrixXd whole(n * static_cast<Eigen::Index>(blocks.size()) / columns, n * columns);
    for (std::size_t k = 0; k < blocks.size(); ++k)
      whole.block(n * (static_cast<Eigen::Index>(k) / columns), n * (static_cast<Eigen::Index>(k) % columns),
                  n, n) = blocks[k];
    return whole;
  };
  if (method == "choco-gossip")  // (x, xhat)
    return {stack({I + keep * G, (1 - keep) * G, keep * I, (1 - keep) * I}, 2), stack({G, I}, 1),
            stack({I, -I}, 2)};
  if (method == "deep-squeeze")  // (x, e)
    return {stack({I + keep * G, keep * G, (1 - keep) * I, (1 - keep) * I}, 2), stack({G, -I}, 1),
            stack({I, I}, 2)};
  // cedas, (x, D, H): yhat = keep (x - D) + (1 - keep) H
  const double a = defaults_of("cedas")[option::damping];
  const Eigen::MatrixXd dual = -0.5 * G;
  return {stack({I - keep * dual, -I + keep * dual, -(1 - keep) * dual,  //
                 keep * dual, I - keep * dual, (1 - keep) * dual,        //
                 a * keep * I, -a * keep * I, (1 - a * keep) * I},
                3),
          stack({-dual, dual, a * I}, 1), stack({I, -I, -I}, 3)};
}

/// Returns the asymptotic growth per iteration of the second moments. The mean of the models and of cedas's
/// duals is left out, since it does not change.
double growth(const std::string& method, const World& world, double gamma, const LinearError& error) {
  const Network network = network_of(method, world, gamma, error.keep);
  const Eigen::Index size = network.step.rows();
  const Eigen::Index n = world.peers;
  Eigen::MatrixXd without_mean = Eigen::MatrixXd::Identity(size, size);
  for (Eigen::Index block = 0; block < (method == "cedas" ? 2 : 1); ++block)
    without_mean.block(block * n, block * n, n, n).array() -= 1.0 / static_cast<double>(n);
  Eigen::MatrixXd M = without_mean;
  double factor = 0.0;
  constexpr int rounds = 3000;
  for (int round = 0; round < rounds; ++round) {
    const Eigen::VectorXd sizes = (network.compressed * M * network.compressed.transpose()).diagonal();
    M = network.step * M * network.step.transpose() +
        error.noise * network.noise * sizes.asDiagonal() * network.noise.transpose();
    M = without_mean * M * without_mean;
    const double size_now = M.trace();
    if (round >= rounds / 2) factor += std::log(size_now);
    M /= size_now;
  }
  return std::exp(factor / (rounds / 2));
}

/// Returns the disagreement after pure gossip from random models of mean 0, relative to the start.
double left_after_gossip(const std::string& method, const World& world, const std::string& compressor,
                         double consensus_step, std::uint64_t rounds) {
  const Index dimension = 400;
  const auto experiment = flat_in<double>(
      world, method,
      {.compressor = compressor, .iterations = rounds, .options = {{option::consensus_step, consensus_step}}},
      dimension);
  Models<double> start;
  for (PeerId id = 0; id < world.peers; ++id) start.push_back(normal_vector<double>(dimension, 31, id));
  const Vector<double> mean = mean_of(start);
  for (Vector<double>& model : start) model -= mean;
  BareCluster<double> cluster(experiment, 1);
  cluster.plant(start);
  cluster.run();
  const auto disagreement = [&](const std::vector<PeerRecord<double>>& peers) {
    const Models<double> models = models_of(peers);
    return consensus_distance(models, mean_of(models));
  };
  return disagreement(cluster.recording().back()) / disagreement(cluster.recording().front());
}

}  // namespace

TEST_CASE(
    "consensus step: of an unbiased compressor, on a complete graph, the limit is a polynomial's root") {
  // Along each of the n - 1 eigenvectors x' = (1 - g) x - g noise and d = -(g x + (1 + g) noise), so that
  // noise comes back g^3 / (2 - g) + (1 + g)^2 times; once along the mean.
  const LinearError error{1.0, 0.4};
  for (const PeerId n : {2, 5, 9}) {
    const double g = limit_of("choco-sgd", {"complete", n}, error);
    const double back = 1.0 + (n - 1) * (g * g * g / (2.0 - g) + (1.0 + g) * (1.0 + g));
    CHECK(error.noise * back / n == doctest::Approx(1.0).epsilon(2e-3));
  }
}

TEST_CASE("consensus step: without noise the limit is where (1 - gamma) I + gamma W leaves the unit circle") {
  CHECK(limit_of("choco-sgd", {"complete", 5}, {}) == doctest::Approx(2.0).epsilon(1e-3));
  CHECK(limit_of("choco-sgd", {"ring", 8}, {}) == doctest::Approx(1.5).epsilon(1e-3));
  CHECK(limit_of("deep-squeeze", {"ring", 8}, {}) == doctest::Approx(1.5).epsilon(1e-3));
}

TEST_CASE("consensus step: just below the limit the second moments shrink, just above it they grow") {
  for (const std::string method : {"choco-gossip", "deep-squeeze", "cedas"})
    for (const World& world :
         std::vector<World>{{"ring", 8}, {"star", 6}, {"path", 5}, {"grid(3x2)", 6}, {"torus(3x3)", 9}})
      for (const LinearError& error : std::vector<LinearError>{{1.0, 0.5}, {0.9, 0.09}, {0.6, 0.24}}) {
        // With cedas such a rough contraction diverges for every consensus step.
        const double limit = limit_of(method, world, error);
        CAPTURE(method);
        CAPTURE(world.name());
        CAPTURE(error.keep);
        CAPTURE(limit);
        if (limit > 0.0) CHECK(growth(method, world, 0.99 * limit, error) < 1.0);
        CHECK(growth(method, world, limit > 0.0 ? 1.01 * limit : 1e-2, error) > 1.0);
        CHECK((limit == 0.0) == (method == "cedas" && error.keep < 0.7));
      }
}

// Second moments grow before single runs do. If all peers are alike single runs follow at once, on a star
// later.
TEST_CASE("consensus step: runs with random rounding settle below the predicted limit and explode above it") {
  struct Row {
    std::string method;
    World world;
    std::string compressor;
  };
  for (const Row& row : std::vector<Row>{{"choco-gossip", {"ring", 8}, "randk(30%)"},
                                         {"choco-gossip", {"star", 6}, "randk(30%)"},
                                         {"choco-sgd", {"ring", 8}, "dither(linf, bits=4, bucket=64)"},
                                         {"choco-sgd", {"path", 5}, "scale{dither(linf, bits=2, bucket=64)}"},
                                         {"beer", {"torus(3x3)", 9}, "randk(30%)"},
                                         {"deep-squeeze", {"ring", 8}, "randk(30%)"},
                                         {"cedas", {"ring", 8}, "dither(linf, bits=2, bucket=64)"},
                                         {"c-gt", {"ring", 8}, "dither(linf, bits=2, bucket=64)"},
                                         {"cedas", {"star", 6}, "dither(linf, bits=3, bucket=64)"}}) {
    CAPTURE(row.method);
    CAPTURE(row.world.name());
    CAPTURE(row.compressor);
    const auto experiment = flat_in<double>(row.world, row.method, {.compressor = row.compressor}, 400);
    REQUIRE(experiment.consensus_step_limit.has_value());
    const double limit = experiment.consensus_step_limit->typical;
    CAPTURE(limit);
    const auto left = [&](double share_of_limit, std::uint64_t rounds) {
      return left_after_gossip(row.method, row.world, row.compressor, share_of_limit * limit, rounds);
    };
    CHECK(left(0.7, 2000) < 1e-3);
    CHECK(left(row.world.family == "star" ? 2.5 : 1.6, 120) > 10.0);
  }
}

TEST_CASE("consensus step: the worst case of a contraction is that of a projection which keeps no more") {
  // rand-k keeps k/d of every vector on average, so the typical and the worst case are the same.
  const auto limits = [](const std::string& compressor) {
    const auto experiment = flat_in<double>({"ring", 8}, "choco-sgd", {.compressor = compressor}, 400);
    REQUIRE(experiment.consensus_step_limit.has_value());
    return *experiment.consensus_step_limit;
  };
  CHECK(*limits("randk(10%)").worst == doctest::Approx(limits("randk(10%)").typical).epsilon(0.1));
  CHECK(*limits("topk(10%)").worst == doctest::Approx(*limits("randk(10%)").worst).epsilon(1e-3));
  CHECK(*limits("topk(10%)").worst == doctest::Approx(0.158).epsilon(0.01));
  CHECK(limits("topk(10%)").typical > 4.0 * *limits("topk(10%)").worst);
}

TEST_CASE("consensus step: what is predicted to diverge is refused, with a remedy that is accepted") {
  const auto refusal = [](const std::string& method, const std::string& compressor, MethodOptions options) {
    return misuse_text([&] {
      auto settings =
          settings_of(method, {"ring", 8}, {.compressor = compressor, .options = std::move(options)});
      settings.algorithm.allow_unsound = false;
      prepare<double>(settings, quadratic_problem<double>(19, first_peers(8), Shared::nothing));
    });
  };
  CHECK(refusal("choco-sgd", "randk(10%)", {{option::consensus_step, 0.7}})
            .find("algorithm.consensus_step = 0.7") == 0);
  CHECK(refusal("choco-sgd", "randk(10%)", {{option::consensus_step, 0.05}}) == "");
  // For a contraction: it diverges with the damping that suits unbiased compressors.
  const std::string text = refusal("cedas", "sign", {{option::consensus_step, 0.05}});
  CAPTURE(text);
  CHECK(text.find("expected algorithm.damping = 1") != std::string::npos);
  CHECK(refusal("cedas", "sign", {{option::consensus_step, 0.05}, {option::damping, 1.0}}) == "");
  CHECK(refusal("cedas", "topk(5%)", {}).find("expected an unbiased one, such as dither(") !=
        std::string::npos);
}

TEST_CASE("consensus step: nothing is predicted of methods without one, of one peer, of graphs too large") {
  CHECK_FALSE(ConsensusLimit::of(mixing_of({"ring", 8}), find_method("d-psgd")).has_value());
  CHECK_FALSE(ConsensusLimit::of(mixing_of({"ring", 1}), find_method("choco-sgd")).has_value());
  CHECK_FALSE(ConsensusLimit::of(mixing_of({"path", 200}), find_method("choco-sgd")).has_value());
  CHECK(limit_of("choco-sgd", {"ring", 4096}, {1.0, 0.4}) ==
        doctest::Approx(limit_of("choco-sgd", {"ring", 64}, {1.0, 0.4})).epsilon(0.01));
}

}  // namespace hearsay::test::consensus_limit_test

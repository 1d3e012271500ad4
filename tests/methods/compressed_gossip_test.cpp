// CHOCO, DeepSqueeze, CEDAS and BEER: what each keeps, where it ends, and when it explodes.
#include <doctest/doctest.h>

#include <cmath>

#include "algorithms/methods/choco_sgd.hpp"
#include "algorithms/methods/ecd_psgd.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/observer/observer.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/models.hpp"
#include "tests/support/worlds.hpp"
#include "topology/dense_mixing.hpp"
#include "topology/families.hpp"

namespace hearsay::test::compressed_gossip_test {

namespace {

const World ring_of_8 = {"ring", 8};

/// S_i of a peer that keeps the sum of its replicas.
template <class Scalar>
Vector<double> sum_kept_by(const PeerRecord<Scalar>& peer) {
  return peer.states.at("aggregate").template cast<double>() +
         peer.states.at("aggregate, cut off").template cast<double>();
}

double disagreement(const std::vector<PeerRecord<double>>& peers) {
  const Models<double> models = models_of(peers);
  return consensus_distance(models, mean_of(models));
}

/// Returns the disagreement after pure gossip from random models, relative to the start.
double left_after_gossip(const std::string& method, const std::string& compressor, double consensus_step,
                         std::uint64_t rounds) {
  const Index dimension = 200;
  const auto experiment = flat_in<double>(
      ring_of_8, method,
      {.compressor = compressor, .iterations = rounds, .options = {{option::consensus_step, consensus_step}}},
      dimension);
  Models<double> start;
  for (PeerId id = 0; id < 8; ++id) start.push_back(normal_vector<double>(dimension, 31, id));
  BareCluster<double> cluster(experiment, 1);
  cluster.plant(start);
  cluster.run();
  return disagreement(cluster.recording().back()) / disagreement(cluster.recording().front());
}

/// The models after many iterations with full gradients, and the largest distance of a model from the
/// optimum.
struct End {
  std::vector<PeerRecord<double>> peers;
  double distance = 0.0;
};

End end_of(const std::string& method, const std::string& compressor, std::uint64_t iterations,
           MethodOptions options, double step_size = 0.1) {
  const auto experiment = quadratics_in<double>(ring_of_8, method,
                                                {.compressor = compressor,
                                                 .iterations = iterations,
                                                 .step_size = step_size,
                                                 .options = std::move(options)});
  // The pooled gradient is linear, coordinate by coordinate.
  const auto pooled_gradient = [&](double at) {
    Vector<double> sum = Vector<double>::Zero(19);
    Vector<double> gradient(19);
    for (const auto& objective : experiment.problem.objectives) {
      objective->gradient(Vector<double>::Constant(19, at), indices(1), gradient);
      sum += gradient;
    }
    return sum;
  };
  const Vector<double> at_zero = pooled_gradient(0.0);
  const Vector<double> optimum = at_zero.cwiseQuotient(at_zero - pooled_gradient(1.0));
  End end{record_run(experiment).back()};
  for (const PeerRecord<double>& peer : end.peers)
    end.distance = std::max(end.distance, (peer.model - optimum).cwiseAbs().maxCoeff());
  return end;
}

}  // namespace

TEST_CASE("choco: topk of 10 % agrees with a consensus step of 0.2 and explodes with 0.6, on a ring of 8") {
  CHECK(left_after_gossip("choco-sgd", "topk(10%)", 0.2, 1500) < 1e-3);
  CHECK(left_after_gossip("choco-sgd", "topk(10%)", 0.6, 600) > 1e3);
}

TEST_CASE("choco: unbiased rand-k explodes at any consensus step, scaled down it agrees") {
  // omega = 9: the difference to the replica grows by itself.
  CHECK(left_after_gossip("choco-sgd", "randk(10%, scaled)", 0.01, 300) > 1e3);
  CHECK(left_after_gossip("choco-sgd", "scale{randk(10%, scaled)}", 0.1, 3000) < 1e-3);
  CHECK(misuse_text([] {
          auto settings = settings_of("choco-sgd", ring_of_8, {.compressor = "randk(10%, scaled)"});
          settings.algorithm.allow_unsound = false;
          prepare<double>(settings, quadratic_problem<double>(19, first_peers(8), Shared::nothing));
        }).find("scale{") != std::string::npos);
}

TEST_CASE(
    "choco: with full gradients it ends where D-PSGD on (1 - gamma) I + gamma W, adapt then combine, does") {
  const double gamma = 0.25;
  const double eta = 0.1;
  const auto experiment = quadratics_in<double>(ring_of_8, "choco-sgd",
                                                {.compressor = "topk(40%)",
                                                 .iterations = 4000,
                                                 .step_size = eta,
                                                 .options = {{option::consensus_step, gamma}}});
  const auto end = record_run(experiment).back();
  // x = W_gamma (x - eta grad f(x))
  for (PeerId i = 0; i < 8; ++i) {
    const auto stepped = [&](PeerId j) {
      Vector<double> gradient(19);
      const Index sample = 0;
      experiment.problem.objectives[j]->gradient(end[j].model, {&sample, 1}, gradient);
      return Vector<double>(end[j].model - eta * gradient);
    };
    const Vector<double> own = stepped(i);
    Vector<double> mixed = own;
    for (const PeerId j : {(i + 1) % 8, (i + 7) % 8}) mixed += gamma / 3.0 * (stepped(j) - own);
    CHECK((mixed - end[i].model).cwiseAbs().maxCoeff() < 1e-9);
  }
}

TEST_CASE("choco: the trigger grows with the root of the local steps, not of the rounds") {
  // What a peer has done in its first round, alone.
  const Plan steps{
      .compressor = "none", .iterations = 1, .step_size = 0.1, .options = {{option::local_steps, 4}}};
  const auto alone = record_run(quadratics_in<double>({"ring", 1}, "local-sgd", steps));
  const double news = (alone[1][0].model - alone[0][0].model).squaredNorm();
  const auto first_packet = [&](double share) {
    Plan plan = steps;
    plan.options.set(option::trigger, share * news / (std::sqrt(4.0) * 0.1 * 0.1));
    return record_run(quadratics_in<double>({"ring", 2}, "choco-sgd", plan))[1][0]
        .sent.front()
        .packet->size();
  };
  CHECK(first_packet(0.99) > 0);
  CHECK(first_packet(1.01) == 0);
}

TEST_CASE("choco: a peer without news sends an empty message, and its replicas stay as they are") {
  const auto run = [](double trigger) {
    return record_run(quadratics_in<double>(ring_of_8, "choco-sgd",
                                            {.iterations = 60, .options = {{option::trigger, trigger}}}));
  };
  const auto recording = run(100.0);
  std::size_t silent = 0, loud = 0;
  for (std::size_t t = 1; t < recording.size(); ++t)
    for (std::size_t i = 0; i < recording[t].size(); ++i) {
      REQUIRE(recording[t][i].sent.size() == 2);  // an empty message is sent, too
      const bool is_silent = recording[t][i].sent.front().packet->size() == 0;
      ++(is_silent ? silent : loud);
      if (is_silent) CHECK(*recording[t][i].published == *recording[t - 1][i].published);
    }
  CHECK(silent > 50);
  CHECK(loud > 50);
  // A trigger that is always met changes nothing at all.
  const auto always = run(1e-300);
  const auto never_asked = run(0.0);
  for (std::size_t i = 0; i < 8; ++i) CHECK(always.back()[i].model == never_asked.back()[i].model);
}

TEST_CASE("aggregate: it is the sum that the replicas would give, to rounding, for every method and order") {
  std::size_t tried = 0;
  for (const MethodInfo& method : methods()) {
    if (!method.options.has(option::memory)) continue;
    ++tried;
    for (const std::string& order : method.orders)
      for (const std::uint64_t restart_every : {0, 60}) {
        if (restart_every > 0 && !method.options.has(option::restart_every)) continue;
        CAPTURE(method.name);
        CAPTURE(order);
        const auto run = [&](const std::string& memory) {
          MethodOptions options = {{option::order, order}, {option::memory, memory}};
          if (restart_every > 0) options.set(option::restart_every, restart_every);
          return record_run(quadratics_in<double>({"star", 6}, method.name,
                                                  {.iterations = 200, .options = std::move(options)}));
        };
        const auto replicas = run("replicas");
        const auto aggregate = run("aggregate");
        for (std::size_t i = 0; i < 6; ++i)
          CHECK((replicas.back()[i].model - aggregate.back()[i].model).cwiseAbs().maxCoeff() < 1e-12);
        const auto& star = replicas.back();
        const Vector<double> hub = sum_kept_by(aggregate.back()[0]);
        Vector<double> sum = Vector<double>::Zero(19);
        for (const auto& [owner, copy] : star[0].replicas) sum += (copy - *star[0].published) / 6.0;
        CHECK((sum - hub).cwiseAbs().maxCoeff() < 1e-12);
        CHECK(aggregate.back()[0].replicas.empty());
      }
  }
  CHECK(tried == 3);
}

TEST_CASE("aggregate: in float the sums of all peers are zero together, however long the run is") {
  for (const MethodInfo& method : methods()) {
    if (!method.options.has(option::memory)) continue;
    for (const std::string& order : method.orders) {
      CAPTURE(method.name);
      CAPTURE(order);
      const auto run = record_run(
          quadratics_in<float>({"complete", 7}, method.name,
                               {.iterations = 3000,
                                .step_size = 0.01,
                                .options = {{option::order, order}, {option::memory, "aggregate"}}}));
      const auto total_after = [&](std::size_t iteration) {
        Vector<double> sum = Vector<double>::Zero(19);
        for (const auto& peer : run[iteration]) sum += sum_kept_by(peer);
        return sum.cwiseAbs().maxCoeff();
      };
      CHECK(total_after(3000) < 2e-7);
    }
  }
}

TEST_CASE(
    "choco-gossip: the peers agree on the mean of their vectors, which is one step of gradient descent") {
  const auto experiment = quadratics_in<double>(
      ring_of_8, "choco-gossip",
      {.compressor = "topk(40%)", .iterations = 1500, .options = {{option::consensus_step, 0.2}}});
  Vector<double> expected = experiment.problem.initial;
  for (const auto& objective : experiment.problem.objectives) {
    Vector<double> gradient(19);
    const Index sample = 0;
    objective->gradient(experiment.problem.initial, {&sample, 1}, gradient);
    expected -= 0.1 / 8.0 * gradient;
  }
  const auto end = record_run(experiment).back();
  for (const auto& peer : end) CHECK((peer.model - expected).cwiseAbs().maxCoeff() < 1e-12);
}

TEST_CASE("cedas: the duals sum to zero, to the rounding of antisymmetric terms") {
  const auto recording = record_run(quadratics_in<double>({"star", 6}, "cedas", {.iterations = 300}));
  for (const auto& peers : recording) {
    Vector<double> sum = Vector<double>::Zero(19);
    for (const auto& peer : peers) sum += peer.states.at("dual");
    CHECK(sum.cwiseAbs().maxCoeff() < 1e-13);
  }
}

TEST_CASE("beer, c-gt: the trackers' mean is the gradients' mean") {
  for (const std::string method : {"beer", "c-gt"}) {
    CAPTURE(method);
    const auto recording = record_run(quadratics_in<double>({"star", 6}, method, {.iterations = 300}));
    for (std::size_t t = 1; t < recording.size(); ++t) {
      Vector<double> difference = Vector<double>::Zero(19);
      for (const auto& peer : recording[t])
        difference += peer.states.at("tracker") - peer.states.at("gradient");
      CHECK(difference.cwiseAbs().maxCoeff() < 1e-12);
    }
  }
}

TEST_CASE(
    "cedas, beer, c-gt: peers whose data differ end at the optimum itself, where dcd, choco and deep-squeeze "
    "do "
    "not") {
  CHECK(end_of("cedas", "dither(linf, bits=2, bucket=512)", 3000, {}).distance < 1e-10);
  CHECK(end_of("cedas", "dither(linf, bits=4, bucket=512)", 1500,
               {{option::consensus_step, 1.0}, {option::damping, 0.5}})
            .distance < 1e-10);
  CHECK(end_of("beer", "topk(10%)", 6000, {}, 0.05).distance < 1e-10);
  CHECK(end_of("beer", "sign", 6000, {}, 0.05).distance < 1e-10);
  CHECK(end_of("c-gt", "dither(linf, bits=2, bucket=512)", 3000, {}, 0.05).distance < 1e-10);
  CHECK(end_of("dcd-psgd", "dither(linf, bits=4, bucket=512)", 3000, {}).distance > 0.05);
  CHECK(end_of("choco-sgd", "topk(40%)", 3000, {}).distance > 0.05);
  CHECK(end_of("deep-squeeze", "topk(40%)", 3000, {}).distance > 0.05);
}

TEST_CASE("cedas: uncompressed, with a = gamma = 1, it is exact diffusion with (I + W) / 2") {
  const World world{"star", 6};
  const double eta = 0.1;
  const auto experiment =
      quadratics_in<double>(world, "cedas",
                            {.compressor = "none",
                             .iterations = 40,
                             .options = {{option::consensus_step, 1.0}, {option::damping, 1.0}}});
  const auto recording = record_run(experiment);
  const MixingMatrix mixing = make_mixing(world.weights, make_graph(world.family, world.peers, 1));
  const Eigen::MatrixXd W = (Eigen::MatrixXd::Identity(6, 6) + dense(mixing)) / 2.0;
  // psi = x - eta g;  x+ = W (psi + x - psi_before), with psi_before = x_0 at the start.
  Eigen::MatrixXd X(19, 6), before(19, 6);
  X.colwise() = experiment.problem.initial;
  before = X;
  for (std::size_t t = 0; t < recording.size(); ++t) {
    for (Index i = 0; i < 6; ++i)
      CHECK((X.col(i) - recording[t][static_cast<std::size_t>(i)].model).cwiseAbs().maxCoeff() < 1e-11);
    Eigen::MatrixXd psi = X;
    for (Index i = 0; i < 6; ++i) {
      Vector<double> gradient(19);
      const Index sample = 0;
      experiment.problem.objectives[static_cast<std::size_t>(i)]->gradient(X.col(i), {&sample, 1}, gradient);
      psi.col(i) -= eta * gradient;
    }
    const Eigen::MatrixXd phi = psi + X - before;
    X = phi * W;
    before = psi;
  }
}

TEST_CASE(
    "beer, c-gt: the mean of the models moves by -eta times the trackers' mean, whatever is compressed") {
  for (const std::string method : {"beer", "c-gt"}) {
    CAPTURE(method);
    const auto recording = record_run(quadratics_in<double>({"star", 6}, method, {.iterations = 100}));
    for (std::size_t t = 2; t < recording.size(); ++t) {
      Vector<double> difference = Vector<double>::Zero(19);
      for (std::size_t i = 0; i < 6; ++i)
        difference += recording[t][i].model - recording[t - 1][i].model +
                      0.1 * recording[t - 1][i].states.at("tracker");
      CHECK(difference.cwiseAbs().maxCoeff() < 1e-12);
    }
  }
}

TEST_CASE("an empty message is malformed wherever no trigger allows silence") {
  const auto ends_malformed = [](const std::string& method, MethodOptions options) {
    const auto experiment = quadratics_in<double>(
        ring_of_8, method, {.compressor = "topk(40%)", .iterations = 3, .options = std::move(options)});
    PacketPool packets;
    BareCluster<double> cluster(experiment, 1);
    cluster.tamper = [&](const Outgoing&) {
      PacketBuffer nothing = packets.acquire();
      nothing.resize(0);
      return std::move(nothing).seal();
    };
    cluster.run();
    return cluster.peer(0).divergence().has_value() && cluster.peer(0).divergence()->malformed;
  };
  for (const char* method : {"dcd-psgd", "ecd-psgd", "naive", "choco-sgd", "choco-gossip", "cedas", "beer",
                             "c-gt", "deep-squeeze", "moniqua"}) {
    CAPTURE(std::string(method));
    CHECK(ends_malformed(method, {}));
  }
  for (const char* method : {"dcd-psgd", "ecd-psgd", "choco-sgd"})
    CHECK(ends_malformed(method, {{option::memory, "aggregate"}}));
  CHECK_FALSE(ends_malformed("choco-sgd", {{option::trigger, 1e-3}}));
}

TEST_CASE("lead: an alias of cedas, in every record, too") {
  const auto experiment = quadratics_in<double>(ring_of_8, "lead", {});
  CHECK(experiment.method->name == "cedas");
  CHECK(experiment.settings.algorithm.kind == "cedas");
}

}  // namespace hearsay::test::compressed_gossip_test

// DCD, ECD and CHOCO on changing links: their messages, their replicas, and how they treat damaged messages.
#include <doctest/doctest.h>

#include <cmath>

#include "algorithms/methods/choco_sgd.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/stability/dcd_limit.hpp"
#include "algorithms/stability/schedule_dcd_limit.hpp"
#include "runtime/observer/observer.hpp"
#include "runtime/record/summary.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/worlds.hpp"
#include "topology/families.hpp"

namespace hearsay::test::varying_links_test {

namespace {

const World one_peer = {"exponential", 8, "metropolis", "one-peer-exponential"};
const World seldom = {"complete", 8, "metropolis", "dealt-links(25)"};
const World half = {"ring", 8, "metropolis", "static", 0.5};
const std::vector<std::string> catching_up = {"dcd-psgd", "ecd-psgd", "choco-sgd", "choco-gossip"};

bool is_dense(const PacketRef& message, std::size_t vector_bytes) {
  const auto parsed = message->bytes().subspan(8);
  return parsed.size() == 4 + vector_bytes && parsed[0] == std::byte{0xff} && parsed[3] == std::byte{0xff};
}

/// Changes the bytes of every message to peer 0 in the last of five iterations, in which peer 0 hears of
/// three packets. Returns the divergence of peer 0.
template <class Change>
std::optional<Divergence> end_with(const std::string& method, const World& world, Change change) {
  const auto experiment = quadratics_in<double>(world, method, {.compressor = "topk(5%)", .iterations = 5});
  PacketPool packets;
  BareCluster<double> cluster(experiment, 1);
  bool changed = false;
  cluster.tamper = [&](const Outgoing& sent) {
    if (sent.to != 0 || sent.key.iteration != 5) return sent.packet;
    changed = true;
    std::vector<std::byte> bytes(sent.packet->bytes().begin(), sent.packet->bytes().end());
    change(bytes);
    PacketBuffer buffer = packets.acquire();
    std::ranges::copy(bytes, buffer.resize(bytes.size()).begin());
    return std::move(buffer).seal();
  };
  cluster.run();
  REQUIRE(changed);
  return cluster.peer(0).divergence();
}

double left_after_gossip(const World& world, const std::string& compressor, std::uint64_t rounds,
                         std::uint64_t seed) {
  const Index dimension = 200;
  const auto experiment = flat_in<double>(
      world, "dcd-psgd", {.compressor = compressor, .iterations = rounds, .seed = seed}, dimension);
  Models<double> start;
  for (PeerId id = 0; id < world.peers; ++id) start.push_back(normal_vector<double>(dimension, 31, id));
  BareCluster<double> cluster(experiment, 1);
  cluster.plant(start);
  cluster.run();
  const auto disagreement = [](const std::vector<PeerRecord<double>>& peers) {
    return consensus_distance(models_of(peers), mean_of(models_of(peers)));
  };
  return disagreement(cluster.recording().back()) / disagreement(cluster.recording().front());
}

std::unique_ptr<Schedule> schedule_of(const World& world) {
  return make_schedule(world.schedule, make_graph(world.family, world.peers, 1),
                       make_mixing(world.weights, make_graph(world.family, world.peers, 1)), 1);
}

}  // namespace

TEST_CASE(
    "varying links: who meets often gets packets, who meets seldom the vector, and every replica is exact") {
  for (const std::string& method : catching_up) {
    CAPTURE(method);
    const auto experiment = quadratics_in<float>(
        seldom, method, {.compressor = "dither(linf, bits=8)", .iterations = 120}, Shared::nothing, 100);
    std::size_t dense = 0, packets = 0, longest = 0;
    for (const auto& peers : record_run(experiment))
      for (const auto& peer : peers)
        for (const Outgoing& sent : peer.sent) {
          ++(is_dense(sent.packet, 400) ? dense : packets);
          longest = std::max(longest, sent.packet->size());
        }
    CHECK(dense > 100);
    CHECK(packets > 10);
    CHECK(longest <= 8 + 4 + 400);
    CHECK(replicas_consistent(simulate(experiment, Duration{0}).peers) == true);
  }
}

TEST_CASE(
    "varying links: peers that sit out catch up later, and every replica is consistent when the run ends") {
  for (const std::string& method : catching_up)
    for (const World& world : {one_peer, half, World{"complete", 8, "metropolis", "random-matchings", 0.6}}) {
      CAPTURE(method);
      CAPTURE(world.name());
      auto experiment = quadratics_in<float>(world, method, {.iterations = 31});
      experiment.settings.network.jitter = std::chrono::milliseconds(30);
      experiment.settings.network.compute = {ComputeTime::Kind::lognormal, std::chrono::milliseconds(9), 1.5};
      const auto outcome = simulate(experiment, Duration{0});
      CHECK(outcome.status == RunStatus::done);
      CHECK(replicas_consistent(outcome.peers) == true);
      for (const PeerOutcome& peer : outcome.peers) CHECK_FALSE(peer.digests.told.empty());
    }
}

TEST_CASE("varying links: a truncated message, and one of another history, end the run as malformed") {
  for (const std::string& method : catching_up) {
    CAPTURE(method);
    std::size_t length = 0;
    end_with(method, one_peer, [&](std::vector<std::byte>& bytes) { length = bytes.size(); });
    REQUIRE(length > 12);
    for (std::size_t kept = 0; kept < length; ++kept) {
      const auto end = end_with(method, one_peer, [&](std::vector<std::byte>& bytes) { bytes.resize(kept); });
      CHECK((end && end->malformed));
    }
    // The count is one packet too high, or too low.
    for (const int said : {+1, -1}) {
      const auto end = end_with(method, one_peer, [&](std::vector<std::byte>& bytes) {
        bytes[0] = static_cast<std::byte>(std::to_integer<int>(bytes[0]) + said);
      });
      CHECK((end && end->malformed));
    }
  }
}

TEST_CASE("varying links: no flipped bit is a crash, and in what frames the packets it is always seen") {
  for (const std::string& method : catching_up) {
    CAPTURE(method);
    for (std::size_t bit = 0; bit < 8 * 64; ++bit) {
      const auto end = end_with(method, one_peer, [&](std::vector<std::byte>& bytes) {
        if (bit / 8 < bytes.size()) bytes[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
      });
      if (bit < 8 * 12) CHECK((end && end->malformed));
    }
  }
}

TEST_CASE("varying links: a message that says less than it should is seen at the next meeting") {
  for (const std::string& method : catching_up) {
    CAPTURE(method);
    const auto experiment = quadratics_in<double>(one_peer, method, {.iterations = 5});
    PacketPool packets;
    BareCluster<double> cluster(experiment, 1);
    cluster.tamper = [&](const Outgoing& sent) {
      if (sent.to != 0 || sent.key.iteration != 2) return sent.packet;
      PacketBuffer nothing = packets.acquire();
      std::ranges::fill(nothing.resize(8), std::byte{0});  // "I have said nothing so far"
      return std::move(nothing).seal();
    };
    cluster.run();
    REQUIRE(cluster.peer(0).divergence());
    CHECK(cluster.peer(0).divergence()->malformed);
    CHECK(cluster.peer(0).divergence()->iteration == 5);
  }
}

TEST_CASE(
    "varying links: with one peer a round DCD ends where D-PSGD does, for 0.6 of the bytes of five "
    "neighbors, "
    "and CHOCO where it does with five") {
  struct End {
    double loss;
    double bytes;  // of a peer, per iteration
  };
  const auto end_of = [](const std::string& name, const std::string& schedule, const std::string& algorithm) {
    const auto outcome = simulate(
        experiment_from<float>("run = { iterations = 400, evaluate_every = 400 }\n"
                               "data = { source = \"synthetic(samples=1024, features=50, classes=10)\", "
                               "partition = \"dirichlet(0.3)\" }\n"
                               "model = { kind = \"softmax\", l2 = 1e-3 }\n"
                               "topology = { kind = \"exponential\", peers = 8, schedule = \"" +
                               schedule +
                               "\" }\n"
                               "algorithm = { batch = \"full\", step_size = 1.0, step_schedule = "
                               "\"inverse-sqrt\", " +
                               algorithm + " }\n"),
        Duration{0});
    CHECK(outcome.status == RunStatus::done);
    const Evaluation& last = outcome.evaluations.back();
    const End end{last.loss, static_cast<double>(last.bytes_sent) / (8.0 * 400.0)};
    MESSAGE(name << ", " << schedule << ": loss " << end.loss << ", " << end.bytes
                 << " bytes per peer and iteration");
    return end;
  };
  const std::string one = "one-peer-exponential";
  const std::string dcd = "kind = \"dcd-psgd\", compressor = \"dither(linf, bits=8, bucket=512)\"";
  const std::string choco = "kind = \"choco-sgd\", compressor = \"topk(1%)\", consensus_step = 0.1";
  const End exact = end_of("d-psgd", one, "kind = \"d-psgd\"");
  const End dcd_five = end_of("dcd", "static", dcd);
  const End dcd_one = end_of("dcd", one, dcd);
  const End choco_five = end_of("choco", "static", choco);
  const End choco_one = end_of("choco", one, choco);
  CHECK(std::abs(dcd_one.loss - exact.loss) < 1e-3);
  CHECK(std::abs(dcd_five.loss - dcd_one.loss) < 0.05);
  CHECK(choco_one.loss < 1.1 * choco_five.loss);
  CHECK(dcd_one.bytes < 0.62 * dcd_five.bytes);
  CHECK(choco_one.bytes < 0.7 * choco_five.bytes);
  CHECK(dcd_one.bytes < 0.8 * exact.bytes);
}

TEST_CASE(
    "varying links: choco keeps silent about no news, and a backlog of nothing is a message of eight bytes") {
  const auto recording = record_run(quadratics_in<double>(
      one_peer, "choco-sgd",
      {.compressor = "topk(20%)", .iterations = 60, .options = {{option::trigger, 100.0}}}));
  std::size_t nothing = 0, something = 0;
  for (std::size_t t = 1; t < recording.size(); ++t)
    for (const auto& peer : recording[t]) {
      REQUIRE(peer.sent.size() == 1);
      ++(peer.sent.front().packet->size() == 8 ? nothing : something);
    }
  CHECK(nothing > 20);
  CHECK(something > 20);
}

TEST_CASE("varying links: one sum for all neighbors, or choco pipelined, is refused with the remedy") {
  const auto refusal = [](const char* method, MethodOptions options, World world) {
    return misuse_text([&] { quadratics_in<double>(world, method, {.options = std::move(options)}); });
  };
  for (const World& world : {one_peer, half}) {
    for (const char* method : {"dcd-psgd", "ecd-psgd", "choco-sgd"})
      CHECK(refusal(method, {{option::memory, "aggregate"}}, world)
                .find("expected replicas, or topology.schedule") != std::string::npos);
    CHECK(refusal("choco-sgd", {{option::order, "pipelined"}}, world)
              .find("expected plain, or topology.schedule") != std::string::npos);
  }
}

TEST_CASE("dcd limit: of a schedule of one round it is the mixing matrix's") {
  for (const World& world :
       std::vector<World>{{"ring", 8}, {"path", 8}, {"star", 8}, {"complete", 5}, {"torus(4x4)", 16}}) {
    CAPTURE(world.name());
    const double expected =
        DcdLimit::of(make_mixing(world.weights, make_graph(world.family, world.peers, 1)))->omega();
    CHECK(*dcd_omega_limit(*schedule_of(world)) == doctest::Approx(expected).epsilon(1e-6));
  }
}

TEST_CASE("dcd limit: on one-peer-exponential of two peers, and of four, it is what one works out by hand") {
  // Two: W = J, (W - I)(I - J) has entries 1/2: K = 1/4 (1 1; 1 1).
  CHECK(*dcd_omega_limit(*schedule_of({"exponential", 2, "metropolis", "one-peer-exponential"})) ==
        doctest::Approx(2.0).epsilon(1e-9));
  // Four: noise of a round with hop 1 meets hop 2, by (W_2 - I)(I - J) = (P_2 - I)/2, whose squares sum to
  // 1/2 a row; then hop 1 again, by (P_1 - I)/2 (I + P_2)/2, whose squares sum to 1/4. Noise of hop 2 meets
  // hop 1: 1/2; then hop 2, by (P_2 - I)/2 (I + P_1)/2: 1/4. Row sums of the gains, (hop 1 <- hop 2, hop 1)
  // and (hop 2 <- hop 1, hop 2): 3/4 each.
  CHECK(*dcd_omega_limit(*schedule_of({"exponential", 4, "metropolis", "one-peer-exponential"})) ==
        doctest::Approx(4.0 / 3.0).epsilon(1e-9));
}

TEST_CASE("dcd: below the limit of a schedule it agrees, above it it blows up, as unbiased rand-k shows") {
  // omega = d/k - 1.
  const double limit = *dcd_omega_limit(*schedule_of(one_peer));
  CAPTURE(limit);
  CHECK(limit > 1.0);
  CHECK(limit < 100.0 / 30.0 - 1.0);
  for (const std::uint64_t seed : {1, 2}) {
    CHECK(left_after_gossip(one_peer, "randk(60%, scaled)", 300, seed) < 1e-3);
    CHECK(left_after_gossip(one_peer, "randk(25%, scaled)", 200, seed) > 1e3);
  }
}

TEST_CASE(
    "dcd: a schedule is checked against its own limit, and where that is not predicted, a warning says so") {
  const auto prepared = [](const World& world, const std::string& compressor, bool unsound) {
    auto settings = settings_of("dcd-psgd", world, {.compressor = compressor});
    settings.algorithm.allow_unsound = unsound;
    return prepare<double>(settings,
                           quadratic_problem<double>(19, first_peers(world.peers), Shared::nothing));
  };
  CHECK(prepared(one_peer, "dither(linf, bits=8, bucket=512)", false).warnings.empty());
  CHECK(misuse_text([&] { prepared(one_peer, "randk(25%, scaled)", false); }).find("under this schedule") !=
        std::string::npos);
  CHECK(prepared(half, "dither(linf, bits=8, bucket=512)", false).omega_limit.has_value());
  const auto drawn = prepared({"complete", 8, "metropolis", "random-matchings"}, "randk(50%, scaled)", false);
  REQUIRE(drawn.warnings.size() == 1);
  CHECK(drawn.warnings[0].find("is not predicted under the schedule random-matchings") != std::string::npos);
}

}  // namespace hearsay::test::varying_links_test

// algorithm.side_information: the same run in fewer bytes.
#include <doctest/doctest.h>

#include "algorithms/methods/choco_sgd.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/observer/observer.hpp"
#include "tests/methods/replica_law.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::side_information_test {

namespace {

const World ring_of_5 = {"ring", 5};

/// Returns what all peers sent in iteration t, in bytes of payload.
template <class Scalar>
std::size_t bytes_of(const Recording<Scalar>& recording, std::size_t t) {
  std::size_t bytes = 0;
  for (const PeerRecord<Scalar>& peer : recording[t])
    for (const Outgoing& sent : peer.sent) bytes += sent.packet->size();
  return bytes;
}

template <class Scalar>
std::size_t bytes_of(const Recording<Scalar>& recording) {
  std::size_t bytes = 0;
  for (std::size_t t = 1; t < recording.size(); ++t) bytes += bytes_of(recording, t);
  return bytes;
}

/// Returns how many messages of iteration t begin with a bucket in full.
template <class Scalar>
std::size_t in_full(const Recording<Scalar>& recording, std::size_t t) {
  std::size_t count = 0;
  for (const PeerRecord<Scalar>& peer : recording[t])
    for (const Outgoing& sent : peer.sent)
      count += sent.packet->size() > 0 && sent.packet->bytes()[2] <= std::byte{128};
  return count;
}

/// Returns how many messages are empty.
template <class Scalar>
std::size_t silent(const Recording<Scalar>& recording) {
  std::size_t count = 0;
  for (std::size_t t = 1; t < recording.size(); ++t)
    for (const PeerRecord<Scalar>& peer : recording[t])
      for (const Outgoing& sent : peer.sent) count += sent.packet->size() == 0;
  return count;
}

template <class Scalar>
bool same_models(const Recording<Scalar>& a, const Recording<Scalar>& b) {
  for (std::size_t t = 0; t < a.size(); ++t)
    for (std::size_t i = 0; i < a[t].size(); ++i)
      if (digest(a[t][i].model) != digest(b[t][i].model)) return false;
  return a.size() == b.size();
}

/// The methods with all that their messages depend on.
std::vector<std::pair<std::string, MethodOptions>> senders() {
  return {{"dcd-psgd", {}},
          {"dcd-psgd", {{option::local_steps, 3}}},
          {"choco-sgd", {{option::consensus_step, 0.3}}},
          {"choco-sgd", {{option::consensus_step, 0.3}, {option::order, "pipelined"}}},
          {"choco-sgd", {{option::consensus_step, 0.3}, {option::trigger, 1.0}}},
          {"choco-gossip", {{option::consensus_step, 0.3}}}};
}

/// Pure gossip from random models.
Recording<double> gossip(const std::string& method, const std::string& side_information) {
  const Index dimension = 512;
  const auto experiment = flat_in<double>({"ring", 8}, method,
                                          {.compressor = "grid(step=0.001)",
                                           .iterations = 60,
                                           .options = {{option::side_information, side_information}}},
                                          dimension);
  Models<double> start;
  for (PeerId id = 0; id < 8; ++id) start.push_back(normal_vector<double>(dimension, 31, id));
  BareCluster<double> cluster(experiment, 1);
  cluster.plant(start);
  cluster.run();
  return cluster.recording();
}

double disagreement(const std::vector<PeerRecord<double>>& peers) {
  const Models<double> models = models_of(peers);
  return consensus_distance(models, mean_of(models));
}

}  // namespace

TEST_CASE_TEMPLATE("side information: the models are those without it, bit for bit, and the bytes are fewer",
                   Scalar, float, double) {
  const Index dimension = 600;
  for (const auto& sender : senders())
    for (const std::optional<std::uint64_t> batch : {std::optional<std::uint64_t>(), {3}}) {
      const std::string& method = sender.first;
      const MethodOptions& options = sender.second;
      const auto run = [&](const std::string& compressor, const std::string& side_information) {
        Plan plan{.compressor = compressor, .step_size = 0.05, .batch = batch, .options = options};
        plan.options.set(option::side_information, side_information);
        return record_run(regressions_in<Scalar>(ring_of_5, method, plan, dimension));
      };
      const auto without = run("grid(step=0.002)", "none");
      for (const std::string side_information : {"replica", "last", "mean"}) {
        CAPTURE(method);
        CAPTURE(side_information);
        const auto near = run("grid(step=0.002)", side_information);
        CHECK(same_models(near, without));
        if (options.has(option::trigger)) CHECK(silent(near) > 0);
        CHECK(bytes_of(near) < bytes_of(without));
        REQUIRE(bytes_of(near) > 0);
        CHECK(same_models(run("mod(k=4, step=0.002)", side_information), without));
      }
    }
}

TEST_CASE("side information: as peers agree, the messages become shorter") {
  for (const std::string method : {"dcd-psgd", "choco-sgd"})
    for (const std::string side_information : {"replica", "last", "mean"}) {
      CAPTURE(method);
      CAPTURE(side_information);
      const auto near = gossip(method, side_information);
      REQUIRE(disagreement(near.back()) < 0.1 * disagreement(near.front()));
      CHECK(same_models(near, gossip(method, "none")));
      // Over ten iterations at a time, since a message depends on its largest difference.
      std::size_t before = std::numeric_limits<std::size_t>::max();
      for (std::size_t t = 1; t + 9 < near.size(); t += 20) {
        std::size_t bytes = 0;
        for (std::size_t k = 0; k < 10; ++k) bytes += bytes_of(near, t + k);
        CHECK(bytes < before);
        before = bytes;
      }
    }
}

TEST_CASE("side information: outside its bound a message is repeated in full, inside it is not") {
  for (const std::string method : {"dcd-psgd", "choco-sgd"}) {
    CAPTURE(method);
    // The first messages are long steps, the last ones are roundings.
    const auto run = [&](const std::string& compressor, const std::string& side_information) {
      return record_run(quadratics_in<double>(ring_of_5, method,
                                              {.compressor = compressor,
                                               .iterations = 200,
                                               .step_size = 0.05,
                                               .options = {{option::side_information, side_information}}},
                                              Shared::nothing, 100));
    };
    const auto near = run("mod(k=16, step=0.01)", "last");
    CHECK(same_models(near, run("grid(step=0.01)", "none")));
    CHECK(in_full(near, 1) == 10);  // a message to each of two neighbors
    CHECK(in_full(near, 200) == 0);
    CHECK(bytes_of(near, 200) == 10 * (3 + 50));
    CHECK(bytes_of(near, 200) < bytes_of(near, 1));
  }
}

TEST_CASE("side information: if it is the last message, its replicas equal their owners', bit for bit") {
  for (const auto& [method, options] : senders())
    for (const std::string side_information : {"replica", "last", "mean"}) {
      Plan plan{.compressor = "grid(step=0.004)", .step_size = 0.05, .batch = 3, .options = options};
      plan.options.set(option::side_information, side_information);
      CHECK(replica_violation(regressions_in<float>(ring_of_5, method, plan, 19)) == "");
    }
}

TEST_CASE("side information: what it cannot be used with is refused in a sentence") {
  const auto refusal = [](const std::string& method, const std::string& compressor, MethodOptions options,
                          const World& world = ring_of_5) {
    auto settings = settings_of(method, world, {.compressor = compressor, .options = std::move(options)});
    settings.algorithm.allow_unsound = false;
    return misuse_text(
        [&] { prepare<double>(settings, quadratic_problem<double>(19, first_peers(5), Shared::nothing)); });
  };
  CHECK(refusal("dcd-psgd", "grid(step=0.01)", {{option::side_information, "last"}}) == "");
  CHECK(refusal("dcd-psgd", "mod(k=16, step=0.01)", {{option::side_information, "replica"}}) == "");
  CHECK(refusal("dcd-psgd", "dither(linf, levels=127, bucket=512)", {{option::side_information, "last"}}) ==
        "algorithm.side_information = last: it sends whole numbers of steps of one fixed grid, modulo k, and "
        "dither(linf, levels=127, bucket=512) has none; expected none, or a compressor such as "
        "grid(step=0.001) "
        "or mod(k=16, step=0.001)");
  for (const char* method : {"choco-sgd", "dcd-psgd"}) {
    CHECK(refusal(method, "grid(step=0.01)",
                  {{option::memory, "aggregate"}, {option::side_information, "mean"}}) ==
          "algorithm.side_information = mean: with algorithm.memory = aggregate a peer keeps nothing of a "
          "single neighbor; expected replica, or algorithm.memory = \"replicas\"");
    CHECK(refusal(method, "grid(step=0.01)",
                  {{option::memory, "aggregate"}, {option::side_information, "replica"}}) == "");
  }
  const World meetings = {"complete", 5, "metropolis", "random-matchings"};
  CHECK(refusal("dcd-psgd", "grid(step=0.01)", {{option::side_information, "last"}}, meetings) ==
        "algorithm.side_information = last: a neighbor that was not there has not heard the last message; "
        "expected replica, or topology.schedule = \"static\" with topology.participation = 1");
  CHECK(refusal("dcd-psgd", "grid(step=0.01)", {{option::side_information, "replica"}}, meetings) == "");
  CHECK(refusal("beer", "grid(step=0.01)", {{option::side_information, "last"}})
            .find("algorithm.side_information") != std::string::npos);
}

}  // namespace hearsay::test::side_information_test

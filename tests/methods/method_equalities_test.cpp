// What different methods become without compression, momentum and regularizer.
#include <doctest/doctest.h>

#include "algorithms/methods/choco_sgd.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/streaming_diloco.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::method_equalities_test {

namespace {

struct Variation {
  std::string method;
  MethodOptions options = {};
  std::string compressor = "none";
};

/// How far the models of two methods are ever apart in 40 iterations on minibatches.
double distance(const Variation& one, const Variation& other, const World& world) {
  const auto recording_of = [&](const Variation& setting) {
    return record_run(regressions_in<double>(
        world, setting.method,
        {.compressor = setting.compressor, .iterations = 40, .batch = 3, .options = setting.options}, 19));
  };
  const Recording<double> a = recording_of(one);
  const Recording<double> b = recording_of(other);
  double largest = 0.0;
  for (std::size_t t = 0; t < a.size(); ++t)
    for (std::size_t i = 0; i < a[t].size(); ++i)
      largest = std::max(largest, (a[t][i].model - b[t][i].model).cwiseAbs().maxCoeff());
  return largest;
}

const std::vector<World> graphs = {{"ring", 8}, {"star", 6}, {"ring", 1}};

}  // namespace

TEST_CASE("equalities: uncompressed, naive, dcd and ecd are D-PSGD, in either order of the steps") {
  for (const World& world : graphs)
    for (const std::string order : {"combine-then-adapt", "adapt-then-combine"})
      for (const std::string method : {"naive", "dcd-psgd", "ecd-psgd"}) {
        CAPTURE(world.name());
        CAPTURE(order);
        CAPTURE(method);
        const MethodOptions options = {{option::local_steps, 3}, {option::order, order}};
        CHECK(distance({method, options}, {"d-psgd", options}, world) < 1e-12);
      }
}

TEST_CASE("equalities: with local steps, D-PSGD and its family mix after them, as CHOCO does") {
  const MethodOptions steps = {{option::local_steps, 3}};
  for (const World& world : graphs)
    for (const std::string method : {"d-psgd", "naive", "dcd-psgd", "ecd-psgd"}) {
      CAPTURE(world.name());
      CAPTURE(method);
      const Variation choco = {"choco-sgd", {{option::consensus_step, 1.0}, {option::local_steps, 3}}};
      CHECK(distance({method, steps}, choco, world) < 1e-12);
    }
}

TEST_CASE("equalities: local SGD by gossip on the complete graph is local SGD by all-reduce") {
  for (const PeerId peers : {1, 2, 5, 8}) {
    CAPTURE(peers);
    const World complete = {"complete", peers};
    for (const std::uint64_t local_steps : {2, 10}) {
      const MethodOptions steps = {{option::local_steps, local_steps}};
      CHECK(distance({"d-psgd", steps}, {"local-sgd", steps}, complete) < 1e-12);
    }
  }
}

TEST_CASE("equalities: one plain local step and no momentum make all-reduce SGD of local SGD and its kin") {
  for (const World& world : graphs)
    for (const std::string method : {"local-sgd", "diloco", "slowmo"}) {
      CAPTURE(world.name());
      CAPTURE(method);
      const Variation plain = {method, {{option::local_steps, 1}, {option::outer, "none(1)"}}};
      CHECK(distance(plain, {"allreduce-sgd"}, world) < 1e-12);
      CHECK(distance({method, {{option::outer, "slowmo(1, 0)"}}}, {"local-sgd"}, world) < 1e-12);
    }
}

TEST_CASE("equalities: streaming with one fragment and no overlap is diloco") {
  for (const World& world : graphs) {
    CAPTURE(world.name());
    const Variation whole = {"streaming-diloco",
                             {{option::local_steps, 4}, {option::fragments, 1}, {option::overlap, 0}}};
    CHECK(distance(whole, {"diloco", {{option::local_steps, 4}}}, world) < 1e-12);
    const Variation parts = {"streaming-diloco",
                             {{option::local_steps, 4}, {option::fragments, 2}, {option::overlap, 0}}};
    CHECK(distance(parts, {"diloco", {{option::local_steps, 4}}}, world) > 1e-6);
  }
}

TEST_CASE("equalities: if all is sent, sparse-loco is diloco, whatever becomes of the errors") {
  for (const World& world : graphs)
    for (const std::string compressor : {"none", "chunk-topk(4/4, values=raw)"})
      for (const double decay : {0.5, 1.0})
        for (const std::string outer : {"none(0.7)", "nesterov(0.7, 0.5)"}) {
          CAPTURE(world.name());
          CAPTURE(outer);
          const MethodOptions sparse = {{option::outer, outer}, {option::error_decay, decay}};
          CHECK(distance({"sparse-loco", sparse, compressor}, {"diloco", {{option::outer, outer}}}, world) <
                1e-12);
        }
}

TEST_CASE("equalities: one local step, no decay: sparse-loco is all-reduce of gradients with feedback") {
  for (const World& world : graphs) {
    CAPTURE(world.name());
    const std::string compressor = "chunk-topk(2/5, values=raw)";
    const Variation sparse = {
        "sparse-loco",
        {{option::local_steps, 1}, {option::outer, "none(1)"}, {option::error_decay, 1.0}},
        compressor};
    CHECK(distance(sparse, {"qsgd-allreduce", {{option::feedback, "ef"}}, compressor}, world) < 1e-12);
  }
}

TEST_CASE("equalities: if all is sent, demo is all-reduce SGD, whatever the decay") {
  for (const World& world : graphs)
    for (const double decay : {0.5, 1.0}) {
      CAPTURE(world.name());
      for (const std::string compressor : {"none", "chunk-topk(4/4)", "dct(chunk=5) | chunk-topk(5/5)"})
        CHECK(distance({"demo", {{option::error_decay, decay}}, compressor}, {"allreduce-sgd"}, world) <
              1e-12);
    }
}

TEST_CASE("equalities: without decay demo is all-reduce of compressed gradients with feedback") {
  for (const World& world : graphs)
    for (const std::string compressor : {"chunk-topk(2/5)", "dct(chunk=5) | chunk-topk(2/5)"}) {
      CAPTURE(world.name());
      CHECK(distance({"demo", {{option::error_decay, 1.0}}, compressor},
                     {"qsgd-allreduce", {{option::feedback, "ef"}}, compressor}, world) < 1e-12);
    }
}

TEST_CASE("equalities: if everybody sends everything, the senders' mean is the mean") {
  for (const World& world : graphs)
    for (const std::string method : {"demo", "sparse-loco"})
      for (const std::string compressor : {"chunk-topk(5/5)", "dct(chunk=5) | chunk-topk(5/5)"}) {
        CAPTURE(world.name());
        CAPTURE(compressor);
        const MethodOptions senders = {{option::aggregate, "senders-mean"}};
        CHECK(distance({method, senders, compressor}, {method, {}, compressor}, world) < 1e-12);
      }
}

TEST_CASE("equalities: with one local step K-GT is gradient tracking, and LED with beta 1 is d2") {
  for (const World& world : std::vector<World>{{"ring", 8, "lazy"}, {"star", 6, "lazy"}, {"ring", 1}}) {
    CAPTURE(world.name());
    CHECK(distance({"k-gt", {{option::local_steps, 1}}}, {"gradient-tracking"}, world) < 1e-12);
    CHECK(distance({"led", {{option::consensus_step, 1.0}, {option::local_steps, 1}}}, {"d2"}, world) <
          1e-12);
  }
}

TEST_CASE("equalities: without a schedule of the step size, slow momentum is heavy ball on the mean drift") {
  for (const World& world : graphs) {
    CAPTURE(world.name());
    const Variation slow = {"slowmo", {{option::outer, "slowmo(0.7, 0.4)"}}};
    CHECK(distance(slow, {"diloco", {{option::outer, "heavy-ball(0.7, 0.4)"}}}, world) < 1e-12);
  }
}

TEST_CASE("equalities: with gamma = 1, no momentum and no h, all that adapt first and then combine are one") {
  const MethodOptions whole = {{option::consensus_step, 1.0}};
  for (const World& world : graphs)
    for (const Variation& setting : std::vector<Variation>{
             {"choco-sgd", whole},
             {"choco-sgd", {{option::consensus_step, 1.0}, {option::memory, "aggregate"}}},
             {"deep-squeeze", whole},
             {"d-psgd", {{option::order, "adapt-then-combine"}}},
             {"naive", {{option::order, "adapt-then-combine"}}},
             {"dcd-psgd", {{option::order, "adapt-then-combine"}}},
             {"dcd-psgd", {{option::order, "adapt-then-combine"}, {option::memory, "aggregate"}}},
             {"ecd-psgd", {{option::order, "adapt-then-combine"}}},
             {"ecd-psgd", {{option::order, "adapt-then-combine"}, {option::memory, "aggregate"}}},
             {"power-gossip", whole},
             {"decentlam", {{option::momentum, 0.0}}},
             {"qg-momentum", {{option::momentum, 0.0}}}}) {
      CAPTURE(world.name());
      CAPTURE(setting.method);
      CHECK(distance(setting, {"dspg"}, world) < 1e-12);
      // It is not the other order.
      if (world.peers > 1) CHECK(distance(setting, {"d-psgd"}, world) > 1e-6);
    }
}

}  // namespace hearsay::test::method_equalities_test

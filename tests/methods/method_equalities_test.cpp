// What different methods become without compression, momentum and regularizer.
#include <doctest/doctest.h>

#include "tests/support/cluster.hpp"
#include "tests/support/worlds.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

struct Variation {
  std::string method;
  MethodOptions options = {};
};

/// How far the models of two methods are ever apart in 40 iterations on minibatches.
double distance(const Variation& one, const Variation& other, const World& world) {
  const auto recording_of = [&](const Variation& setting) {
    return record_run(regressions_in<double>(
        world, setting.method,
        {.compressor = "none", .iterations = 40, .batch = 3, .options = setting.options}, 19));
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

TEST_CASE("equalities: uncompressed, naive, dcd and ecd are D-PSGD") {
  for (const World& world : graphs)
    for (const std::string method : {"naive", "dcd-psgd", "ecd-psgd"}) {
      CAPTURE(world.name());
      CAPTURE(method);
      CHECK(distance({method}, {"d-psgd"}, world) < 1e-12);
    }
}

TEST_CASE("equalities: with gamma = 1, no momentum and no h, all that adapt first and then combine are one") {
  const MethodOptions whole = {.consensus_step = 1.0};
  for (const World& world : graphs)
    for (const Variation& setting :
         std::vector<Variation>{{"choco-sgd", whole},
                                {"choco-sgd", {.consensus_step = 1.0, .memory = "aggregate"}},
                                {"deep-squeeze", whole},
                                {"power-gossip", whole},
                                {"decentlam", {.momentum = 0.0}},
                                {"qg-momentum", {.momentum = 0.0}}}) {
      CAPTURE(world.name());
      CAPTURE(setting.method);
      CHECK(distance(setting, {"dspg"}, world) < 1e-12);
      // It is not the other order.
      if (world.peers > 1) CHECK(distance(setting, {"d-psgd"}, world) > 1e-6);
    }
}

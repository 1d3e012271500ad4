// run.epochs: how many iterations a run has.
#include <doctest/doctest.h>

#include "algorithms/methods/parts/shared_options.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/four_peers.hpp"

namespace hearsay::test::run_length_test {

TEST_CASE("epochs: they are passes over the data, also with local steps and with peers that sit out") {
  RunSettings settings = four_peers("d-psgd");
  settings.data.source = "synthetic(samples=256, features=5, classes=2)";
  settings.model.kind = "logistic";
  settings.run.epochs = 10.0;
  settings.algorithm.batch = 4;
  const auto passes = [&] {
    const auto experiment = prepare<double>(settings);
    BareCluster<double> cluster(experiment, 1);
    cluster.run();
    std::uint64_t samples = 0;
    for (PeerId id = 0; id < 4; ++id) samples += cluster.peer(id).counters().gradient_evaluations;
    return static_cast<double>(samples) / 256.0;
  };
  CHECK(passes() == 10.0);
  settings.algorithm.options.set(option::local_steps, 5);
  CHECK(passes() == 10.0);
  settings.topology.participation = 0.5;
  CHECK(passes() == doctest::Approx(10.0).epsilon(0.15));
  settings = four_peers("choco-gossip");
  settings.run.epochs = 10.0;
  CHECK(refusal(settings).find("run.epochs = 10: choco-gossip averages") == 0);
}

}  // namespace hearsay::test::run_length_test

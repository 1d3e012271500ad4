// Methods with a hub and workers: what their memories tend to, and how fast.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/methods/optimum.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::hub_memories_test {

TEST_CASE("hub: with lossy compressors the memories tend geometrically to the gradients at the optimum") {
  constexpr PeerId peers = 5;
  constexpr Index dimension = 19;
  constexpr std::size_t window = 100;
  const Vector<double> optimum = quadratic_optimum(dimension, peers);
  for (const std::string method :
       {"artemis", "diana", "dore", "mcm", "rand-mcm", "ef21", "ef21-bc", "econtrol"}) {
    CAPTURE(method);
    const auto experiment = quadratics_in<double>({"star", peers}, method, {.iterations = 5 * window});
    const auto recording = record_run(experiment);
    const auto largest_error = [&](std::size_t t) {
      double largest = 0.0;
      for (PeerId i = 0; i < peers; ++i) {
        Vector<double> gradient(dimension);
        const Index sample = 0;
        experiment.problem.objectives[i]->gradient(optimum, {&sample, 1}, gradient);
        largest = std::max(largest, (recording[t][i].states.at("memory") - gradient).norm());
      }
      return largest;
    };
    CHECK(largest_error(0) > 1.0);  // the workers differ
    for (std::size_t t = window; t <= 5 * window; t += window) {
      CAPTURE(t);
      CHECK(largest_error(t) < std::max(largest_error(t - window) / 10, 1e-12));
    }
  }
}

}  // namespace hearsay::test::hub_memories_test

#include <doctest/doctest.h>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::sitting_out_test {

namespace {

Experiment<double> half_of_a_ring(const std::string& method) {
  RunSettings settings = settings_of(method, {"ring", 8}, {.iterations = 40});
  settings.topology.participation = 0.5;
  return prepare<double>(settings, quadratic_problem<double>(19, first_peers(8), Shared::nothing));
}

/// Returns the methods in which a peer may sit out a round, and trains in every other.
std::vector<std::string> methods_that_may_sit_out() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods())
    if (method.permits_time_varying && !method.counts_rounds && method.trains && method.pattern.uses_graph &&
        !method.pattern.has_hub)
      names.push_back(method.name);
  return names;
}

}  // namespace

TEST_CASE(
    "participation: a peer that sits out keeps its model, takes no gradient, and says and hears nothing") {
  REQUIRE(methods_that_may_sit_out().size() >= 4);
  for (const std::string& method : methods_that_may_sit_out()) {
    CAPTURE(method);
    const auto experiment = half_of_a_ring(method);
    const auto recording = record_run(experiment);
    std::size_t sat_out = 0;
    for (std::size_t t = 1; t < recording.size(); ++t)
      for (PeerId id = 0; id < 8; ++id) {
        const PeerRecord<double>& peer = recording[t][id];
        if (experiment.schedule->row(id, t - 1).participates) {
          CHECK(peer.model != recording[t - 1][id].model);
          for (const Outgoing& sent : peer.sent) CHECK(experiment.schedule->row(sent.to, t - 1).participates);
        } else {
          ++sat_out;
          CHECK(digest(peer.model) == digest(recording[t - 1][id].model));
          CHECK(peer.sent.empty());
        }
      }
    CHECK(sat_out == 40 * 4);
    std::uint64_t gradients = 0;
    for (const PeerOutcome& peer : simulate(experiment, Duration{0}).peers)
      gradients += peer.meters.counters.gradient_evaluations;
    CHECK(gradients == 40 * 4 * find_method(method).options.find(option::local_steps).value_or(1));
  }
}

}  // namespace hearsay::test::sitting_out_test

#include <doctest/doctest.h>

#include "algorithms/methods/parts/shared_options.hpp"
#include "runtime/process/local_run.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::round_deadline_run_test {

using namespace std::chrono_literals;

// The deadline of a round by the real clock, over sockets.

TEST_CASE("round deadline: over sockets a hub goes on without a worker that is always late") {
  RunSettings settings = settings_of("fed-avg", {.family = "star", .peers = 4}, {.iterations = 12});
  settings.algorithm.options.set(option::local_steps, 1);
  settings.run.evaluate_every = 12;
  settings.topology.round_deadline = 150ms;
  settings.network.compute = {.kind = ComputeTime::Kind::constant, .median = 1ms};
  NetworkSettings slow = settings.network;
  slow.compute.median = 800ms;
  settings.peer_networks[3] = slow;
  const auto experiment =
      prepare<double>(settings, quadratic_problem<double>(6, {0, 1, 2, 3}, Shared::nothing));
  const RunOutcome<double> outcome = run_local(experiment);
  CHECK_MESSAGE(outcome.status == RunStatus::done, outcome.reason);
  for (const PeerOutcome& peer : outcome.peers) CHECK(peer.iterations == 12);
  CHECK(outcome.peers.front().meters.counters.late > 0);
  CHECK(outcome.peers.back().meters.counters.gradient_evaluations < 12);
}

}  // namespace hearsay::test::round_deadline_run_test

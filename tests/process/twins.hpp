#pragma once

#include <doctest/doctest.h>

#include <chrono>
#include <vector>

#include "algorithms/methods/registry.hpp"
#include "runtime/process/local_run.hpp"
#include "runtime/record/summary.hpp"
#include "runtime/simulator/simulator.hpp"

namespace hearsay::test {

/// The methods to which the twin law applies.
inline std::vector<MethodInfo> synchronous_methods() {
  std::vector<MethodInfo> synchronous;
  for (const MethodInfo& method : methods())
    if (!method.asynchronous) synchronous.push_back(method);
  return synchronous;
}

/// The outcomes of one experiment on both drivers: real processes and the simulator.
template <class Scalar>
struct Twins {
  RunOutcome<Scalar> real;
  RunOutcome<Scalar> simulated;
};

/// Runs the experiment on both drivers. Everything but time must be equal: bits, bytes, counts, evaluations.
template <class Scalar>
Twins<Scalar> check_twins(const Experiment<Scalar>& experiment) {
  CAPTURE(experiment.method->name);
  CAPTURE(experiment.peer_count());
  Twins<Scalar> twins{run_local(experiment), simulate(experiment, Duration{1000})};
  const RunOutcome<Scalar>& real = twins.real;
  const RunOutcome<Scalar>& simulated = twins.simulated;
  CHECK_MESSAGE(real.status == simulated.status, real.reason);
  REQUIRE(real.peers.size() == simulated.peers.size());
  for (PeerId id = 0; id < experiment.peer_count(); ++id) {
    const PeerOutcome& one = real.peers[id];
    const PeerOutcome& other = simulated.peers[id];
    CHECK(one.iterations == other.iterations);
    CHECK(one.model_digest == other.model_digest);
    CHECK(one.digests.published == other.digests.published);
    CHECK(one.digests.replicas == other.digests.replicas);
    CHECK(one.digests.told == other.digests.told);
    CHECK(one.meters.bytes_sent == other.meters.bytes_sent);
    CHECK(one.meters.messages_sent == other.meters.messages_sent);
    CHECK(one.meters.sent_to.by_hearer() == other.meters.sent_to.by_hearer());
    CHECK(one.meters.garbage == 0);
    CHECK(one.meters.refused == 0);
    CHECK(one.meters.counters.duplicate == 0);
    CHECK(one.meters.counters.late == 0);
    CHECK(one.meters.counters.gradient_evaluations == other.meters.counters.gradient_evaluations);
    CHECK(one.meters.counters.gossip_rounds == other.meters.counters.gossip_rounds);
    CHECK(one.meters.counters.digests_compared == other.meters.counters.digests_compared);
    CHECK(one.meters.counters.digests_differed == 0);
    CHECK(one.meters.counters.resyncs == 0);
  }
  CHECK(replicas_consistent(real.peers) != false);
  CHECK(replicas_consistent(real.peers) == replicas_consistent(simulated.peers));
  REQUIRE(real.evaluations.size() == simulated.evaluations.size());
  for (std::size_t k = 0; k < real.evaluations.size(); ++k) {
    CHECK(real.evaluations[k].iteration == simulated.evaluations[k].iteration);
    CHECK(real.evaluations[k].loss == simulated.evaluations[k].loss);
    CHECK(real.evaluations[k].consensus_distance == simulated.evaluations[k].consensus_distance);
    CHECK(real.evaluations[k].distances.values == simulated.evaluations[k].distances.values);
  }
  return twins;
}

}  // namespace hearsay::test

#include "runtime/experiment/standby_partners.hpp"

#include <doctest/doctest.h>

#include "algorithms/methods/registry.hpp"
#include "runtime/experiment/run_agreement.hpp"
#include "runtime/experiment/traffic_forecast.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::hub_standby_test {

namespace {

const std::string small =
    "data.source = \"synthetic(samples=96, features=12, classes=3)\"\nrun.iterations = 7\n"
    "network.compute = \"1 ms\"\n";

Experiment<double> prepared(const std::string& topology, const std::string& failure,
                            const std::string& method = "fed-avg") {
  return experiment_from<double>(small + "algorithm.kind = \"" + method + "\"\n[topology]\n" + topology +
                                 "[failure]\n" + failure);
}
std::string refusal(const std::string& topology, const std::string& failure,
                    const std::string& method = "fed-avg") {
  return misuse_text([&] { prepared(topology, failure, method); });
}

const std::string dedicated = "peers = 4\nhub = \"dedicated\"\n";
const std::string drop = "policy = \"drop\"\nhub_standby = 1\n";

}  // namespace

TEST_CASE("hub standby: what cannot take over from a hub is refused, with the remedy") {
  prepared(dedicated, drop);
  CHECK(refusal(dedicated, "hub_standby = 1\n") ==
        "failure.hub_standby = 1: under failure.policy = \"wait\" a run waits for its hub to come back; "
        "expected \"drop\"");
  CHECK(refusal("peers = 4\n", drop) ==
        "failure.hub_standby = 1: a hub that is lost would take its share of the data along; expected "
        "topology.hub = \"dedicated\"");
  CHECK(refusal(dedicated, "policy = \"drop\"\nhub_standby = 4\n") ==
        "failure.hub_standby = 4: expected a worker: an id from 1 to 3");
  CHECK(contains(refusal(dedicated, "policy = \"drop\"\nhub_standby = 0\n"),
                 "failure.hub_standby = 0: expected the id of a worker, such as 1"));
  CHECK(refusal("peers = 2\nhub = \"dedicated\"\n", drop) ==
        "failure.hub_standby = 1: it is the only worker; expected topology.peers of at least 3");
  CHECK(
      refusal(dedicated + "participation = 0.7\n", drop) ==
      "failure.hub_standby = 1: it hears the hub in every round; expected topology.participation = 1 instead "
      "of 0.7");
  CHECK(refusal(dedicated + "round_deadline = \"5 s\"\n", drop) ==
        "failure.hub_standby = 1: whose answers come in time it cannot know beforehand; expected "
        "topology.round_deadline = \"0 s\"");
  CHECK(
      refusal(dedicated, drop + "join_later = [2]\n") ==
      "failure.hub_standby = 1: hub and standby would have to take a joining worker in together; expected no "
      "failure.join_later");
  CHECK(contains(
      refusal("peers = 4\n", drop, "d-psgd"),
      "failure.hub_standby = 1: d-psgd has no hub that could be lost; leave it out, or take one of "));
  CHECK(refusal(dedicated, drop, "artemis") == "");
  // Where policy "drop" itself is refused, that is said.
  CHECK(contains(refusal(dedicated, drop + "checkpoint_every = 10\n"),
                 "failure.policy = \"drop\": who comes back"));
}

TEST_CASE("hub standby: peers that name different standbys do not train together") {
  const auto of = [](const std::string& failure) { return agreement_of(prepared(dedicated, failure)); };
  CHECK(of(drop).settings != of("policy = \"drop\"\nhub_standby = 2\n").settings);
  CHECK(of(drop).settings != of("policy = \"drop\"\n").settings);
}

TEST_CASE("hub standby: it and the workers are partners, and nobody else is added") {
  const auto experiment = prepared(dedicated, drop);
  CHECK(partners_of(experiment, 0).destinations == std::vector<PeerId>{1, 2, 3});
  CHECK(partners_of(experiment, 1).destinations == std::vector<PeerId>{0, 2, 3});
  CHECK(partners_of(experiment, 1).sources == std::vector<PeerId>{0, 2, 3});
  CHECK(partners_of(experiment, 2).destinations == std::vector<PeerId>{0, 1});
  CHECK(partners_of(experiment, 3).sources == std::vector<PeerId>{0, 1});
  CHECK(quiet_destinations(experiment.settings, 1) == std::vector<PeerId>{2, 3});
  CHECK(quiet_destinations(experiment.settings, 2).empty());
}

TEST_CASE("hub standby: the bytes of copies and rosters are foretold, whatever the method") {
  std::size_t exact = 0;
  for (const MethodInfo& method : methods()) {
    if (!method.pattern.has_hub || !goes_on_without(method.membership)) continue;
    CAPTURE(method.name);
    const auto experiment = prepared(dedicated, drop, method.name);
    const TrafficForecast forecast = forecast_traffic(experiment);
    const auto outcome = simulate(experiment, Duration{0});
    for (PeerId id = 0; id < experiment.peer_count(); ++id) {
      const PeerMeters& meters = outcome.peers[id].meters;
      CHECK(meters.messages_sent == forecast.peers[id].messages);
      if (forecast.exact)
        CHECK(meters.bytes_sent == forecast.peers[id].bytes);
      else
        CHECK(meters.bytes_sent <= forecast.peers[id].bytes);
    }
    exact += forecast.exact;
  }
  CHECK(exact > 4);
}

}  // namespace hearsay::hub_standby_test

#include <doctest/doctest.h>

#include <map>

#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/timelines.hpp"

namespace hearsay::test::timeline_law_test {

namespace {

using namespace std::chrono_literals;

const std::string four_peers = R"toml(
run = { iterations = 12, evaluate_every = 5 }
model.kind = "quadratic(1000)"
topology = { kind = "ring", peers = 4 }
algorithm = { kind = "d-psgd", batch = "full" }
)toml";

Experiment<float> on_network(const std::string& network) {
  return experiment_from<float>(four_peers + network);
}

/// Simulates with a timeline and without. Both must end with the same bits and times.
RunOutcome<float> traced(const Experiment<float>& experiment, Timeline& timeline) {
  RunControl control;
  control.timeline = &timeline;
  const RunOutcome<float> outcome = simulate(experiment, Duration{1000}, control);
  const RunOutcome<float> plain = simulate(experiment, Duration{1000});
  CHECK(outcome.seconds == plain.seconds);
  REQUIRE(outcome.evaluations.size() == plain.evaluations.size());
  for (std::size_t k = 0; k < plain.evaluations.size(); ++k)
    CHECK(outcome.evaluations[k].loss == plain.evaluations[k].loss);
  for (std::size_t id = 0; id < plain.peers.size(); ++id) {
    CHECK(outcome.peers[id].model_digest == plain.peers[id].model_digest);
    CHECK(outcome.peers[id].meters.wait == plain.peers[id].meters.wait);
  }
  return outcome;
}

}  // namespace

TEST_CASE(
    "timeline: in the simulator its sums are those of the record, whatever the method and the network") {
  const std::string networks[] = {
      "network = { compute = \"2 ms\" }\n",
      "network = { bandwidth = \"1 Mbit/s\", latency = \"3 ms\", compute = \"2 ms\" }\n",
      "network = { bandwidth = \"1 Mbit/s\", latency = \"3 ms\", compute = \"2 ms\", evaluations = "
      "\"shaped\" "
      "}\n",
      "network = { bandwidth = \"1 Mbit/s\", latency = \"3 ms\", jitter = \"9 ms\", message_loss = \"10%\", "
      "compute = \"lognormal(2 ms, 0.5)\" }\n",
      "network = { bandwidth = \"10 Mbit/s\", compute = \"1 ms\", peer = [{ id = 2, "
      "bandwidth_up = \"1 Mbit/s\", compute = \"20 ms\" }] }\n"};
  for (const std::string& network : networks)
    for (const char* method : {"d-psgd", "dcd-psgd", "choco-sgd", "allreduce-sgd", "ad-psgd"}) {
      CAPTURE(network);
      CAPTURE(method);
      std::string text = four_peers + network;
      text.replace(text.find("d-psgd"), 6, method);
      const auto experiment = experiment_from<float>(text);
      Timeline timeline;
      check_timeline(timeline, traced(experiment, timeline).peers);
    }
}

TEST_CASE("timeline: in the simulator its times are the virtual ones, worked out by hand") {
  // A message of 1,000 floats is 4,064 bytes or so; at 1 MB/s its port takes 1 us a byte. Both neighbors'
  // messages leave together with the gradient of 2 ms.
  Timeline timeline;
  traced(on_network("network = { bandwidth = \"8 Mbit/s\", latency = \"3 ms\", compute = \"2 ms\" }\n"),
         timeline);
  std::vector<Activity> first;
  for (const Activity& activity : timeline.activities())
    if (activity.peer == 1 && activity.iteration == 1) first.push_back(activity);
  REQUIRE(first.size() >= 6);
  CHECK(first[0].kind == ActivityKind::computes);
  CHECK(first[0].begin == 0ms);
  CHECK(first[0].takes == 2ms);
  std::vector<Activity> sent;
  std::vector<Activity> received;
  for (const Activity& activity : first) {
    if (activity.kind == ActivityKind::sends) sent.push_back(activity);
    if (activity.kind == ActivityKind::receives) received.push_back(activity);
  }
  REQUIRE(sent.size() == 2);
  REQUIRE(received.size() == 2);
  const Duration takes = static_cast<std::int64_t>(sent[0].bytes) * 1us;
  CHECK(sent[0].begin == 0ms);
  CHECK(sent[0].takes == takes);
  CHECK(sent[0].other == 2);  // after the peer's own id
  CHECK(sent[1].begin == takes);
  CHECK(sent[1].other == 0);
  // The first byte travels for 3 ms; a port that is as fast as the sender's receives as long as that one
  // sends.
  CHECK(received[0].begin == 3ms);
  CHECK(received[0].takes == takes);
  CHECK(received[1].begin == 3ms + takes);
  CHECK(received[1].takes == takes);
}

TEST_CASE("timeline: a peer waits for the neighbors that the record says it waited for, as long") {
  const auto experiment = on_network(
      "network = { bandwidth = \"8 Mbit/s\", compute = \"2 ms\", peer = [{ id = 2, compute = \"20 ms\" }] "
      "}\n");
  Timeline timeline;
  const RunOutcome<float> outcome = traced(experiment, timeline);
  std::map<std::pair<PeerId, PeerId>, Duration> waited;
  for (const Activity& activity : timeline.activities())
    if (activity.kind == ActivityKind::waits && activity.other != Activity::nobody)
      waited[{activity.peer, activity.other}] += activity.takes;
  std::map<std::pair<PeerId, PeerId>, Duration> recorded;
  for (PeerId id = 0; id < outcome.peers.size(); ++id)
    for (const auto& [source, time] : outcome.peers[id].meters.waits.by_source())
      if (time > Duration{0}) recorded[{id, source}] = time;
  REQUIRE_FALSE(recorded.empty());
  CHECK(waited == recorded);
}

}  // namespace hearsay::test::timeline_law_test

#include "runtime/record/hub_port.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "runtime/record/summary.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::hub_port_test {

using Json = nlohmann::ordered_json;

namespace {

Json summary_of(const std::string& method, const std::string& network, const std::string& topology = "") {
  const auto experiment = experiment_from<float>(
      "run = { iterations = 10, evaluate_every = 5 }\nmodel.kind = \"quadratic(1000)\"\n"
      "topology = { peers = 5" +
      topology + " }\nalgorithm = { kind = \"" + method +
      "\", batch = \"full\" }\nnetwork = { compute = \"1 ms\"" + network + " }\n");
  return summarize(experiment, simulate(experiment, Duration{0}), Driver::simulator);
}

}  // namespace

TEST_CASE("hub port: its bytes are those of peer 0, its seconds the bytes over the bandwidth, each way") {
  const Json summary = summary_of("fed-avg", ", bandwidth_up = \"8 Mbit/s\", bandwidth_down = \"4 Mbit/s\"");
  const Json& port = summary["hub_port"];
  const Json& hub = summary["per_peer"][0];
  CHECK(port["bytes_to_workers"] == hub["bytes_sent"]);
  CHECK(port["bytes_from_workers"] == hub["bytes_received"]);
  CHECK(port["seconds_to_workers"].get<double>() ==
        doctest::Approx(hub["bytes_sent"].get<double>() / 1e6).epsilon(1e-9));
  CHECK(port["seconds_from_workers"].get<double>() ==
        doctest::Approx(hub["bytes_received"].get<double>() / 0.5e6).epsilon(1e-9));
  CHECK(port["share_to_workers"].get<double>() ==
        doctest::Approx(hub["wire_seconds"].get<double>() / hub["seconds"].get<double>()).epsilon(1e-9));
  // The port is what this run waits for.
  CHECK(port["share_to_workers"].get<double>() + port["share_from_workers"].get<double>() > 0.9);
}

TEST_CASE("hub port: framing takes time, as it does at the port") {
  const Json summary = summary_of("fed-avg", ", bandwidth = \"8 Mbit/s\", framing = \"ethernet\"");
  CHECK(summary["hub_port"]["seconds_to_workers"].get<double>() ==
        doctest::Approx(summary["per_peer"][0]["wire_seconds"].get<double>()).epsilon(2e-3));
  CHECK(summary["hub_port"]["seconds_to_workers"].get<double>() >
        1.03 * summary["hub_port"]["bytes_to_workers"].get<double>() / 1e6);
}

TEST_CASE("hub port: without a limit its bytes are known and no seconds, and a trace counts by its mean") {
  const Json port = summary_of("fed-avg", "")["hub_port"];
  CHECK(port["bytes_to_workers"] > 0);
  for (const char* key :
       {"seconds_to_workers", "seconds_from_workers", "share_to_workers", "share_from_workers"})
    CHECK(port[key].is_null());
  const Json traced =
      summary_of("fed-avg", ", bandwidth_trace = [\"0,12 Mbit/s\", \"0.001,4 Mbit/s\"]")["hub_port"];
  CHECK(traced["seconds_to_workers"].get<double>() ==
        doctest::Approx(traced["bytes_to_workers"].get<double>() / 1e6).epsilon(1e-9));
}

TEST_CASE("hub port: a method without a hub has none, on a star, too, and its loss is of the mean model") {
  const Json gossip = summary_of("d-psgd", "", ", kind = \"star\"");
  CHECK(gossip["hub_port"].is_null());
  CHECK(gossip["evaluated"] == "mean model");
  CHECK(summary_of("fed-avg", "")["evaluated"] == "hub's model");
}

TEST_CASE("hub port: a run that was lost before it began has none, and nobody took over") {
  const auto experiment = experiment_from<float>(
      "model.kind = \"quadratic(10)\"\nrun.iterations = 10\ntopology.peers = 3\n"
      "algorithm = { kind = \"fed-avg\", batch = \"full\" }\n");
  RunOutcome<float> lost;
  lost.status = RunStatus::lost;
  const Json summary = summarize(experiment, lost, Driver::zmq);
  CHECK(summary["hub_port"].is_null());
  CHECK(summary["took_over"].is_null());
}

}  // namespace hearsay::hub_port_test

#include "runtime/network/kernel_network.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/network/congestion.hpp"
#include "runtime/network/link.hpp"
#include "runtime/process/local_run.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/network_namespaces.hpp"

namespace hearsay::test::kernel_network_test {

namespace {

constexpr int iterations = 3;

/// An experiment of three iterations: in each, a peer exchanges 80 kB with each of two neighbors.
Experiment<float> experiment_with(const std::string& network) {
  return prepare<float>(parse_run("run.iterations = " + std::to_string(iterations) + R"toml(
run.evaluate_every = 3
model.kind = "quadratic(20000)"
topology = { kind = "ring", peers = 4 }
algorithm = { kind = "d-psgd", batch = "full" }
[network]
compute = "0 s"
)toml" + network,
                                  ".", {}, "kernel network"));
}

/// Returns the least time of `frame_bytes` in one direction at the limit, in seconds. The bucket of tbf is
/// full at first, so one burst takes no time.
double least_seconds(std::uint64_t frame_bytes, Bandwidth bandwidth) {
  constexpr std::uint64_t burst_bytes = 3 * 1514;
  return seconds(bandwidth.time_for(wire_bytes(Framing::ethernet, frame_bytes) - burst_bytes));
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("kernel network: a run has the simulator's bits, and the kernel has counted all its bytes") {
    if (skipped_without_namespaces("network of the kernel")) return;
    const auto experiment = experiment_with("bandwidth = \"20 Mbit/s\"\n");
    const KernelNetwork network(experiment.settings, experiment.peer_count());
    const auto real = run_local(experiment, {}, &network);
    const auto simulated = simulate(experiment, Duration{0});
    REQUIRE_MESSAGE(real.status == RunStatus::done, real.reason);
    for (PeerId id = 0; id < experiment.peer_count(); ++id) {
      CAPTURE(id);
      const PeerMeters& meters = real.peers[id].meters;
      CHECK(real.peers[id].model_digest == simulated.peers[id].model_digest);
      CHECK(meters.bytes_sent == simulated.peers[id].meters.bytes_sent);
      CHECK(meters.bytes_sent >= 2 * iterations * 80'000);
      // The kernel also counts acknowledgements of what was received, handshakes and heartbeats.
      const std::uint64_t framed = wire_bytes(Framing::ethernet, meters.bytes_sent);
      for (const std::uint64_t counted : {network.bytes_sent(id), network.bytes_received(id)}) {
        CHECK(counted >= framed);
        CHECK(counted <= framed + framed / 10 + 20'000);
      }
    }
  }

  TEST_CASE("kernel network: no peer sends or receives faster than it may") {
    if (skipped_without_namespaces("limits of the kernel")) return;
    for (const char* key : {"bandwidth_up", "bandwidth_down"}) {
      CAPTURE(key);
      const auto experiment = experiment_with(std::string(key) + " = \"20 Mbit/s\"\n");
      const KernelNetwork network(experiment.settings, experiment.peer_count());
      const auto outcome = run_local(experiment, {}, &network);
      REQUIRE_MESSAGE(outcome.status == RunStatus::done, outcome.reason);
      CHECK(outcome.seconds >=
            least_seconds(outcome.peers[0].meters.bytes_sent, parse_bandwidth(key, "20 Mbit/s")));
    }
  }

  TEST_CASE("kernel network: all connections have reno, unless the run names another") {
    if (skipped_without_namespaces("congestion control in the kernel's network")) return;
    const std::vector<std::string> reno = {"reno"}, bbr = {"bbr"};
    for (const std::string& line : {std::string(), std::string("congestion = \"bbr\"\n")}) {
      CAPTURE(line);
      const auto experiment = experiment_with("bandwidth = \"20 Mbit/s\"\n" + line);
      if (congestion_here("auto") != "bbr") continue;  // the kernel has no other
      const KernelNetwork network(experiment.settings, experiment.peer_count());
      const auto outcome = run_local(experiment, {}, &network);
      REQUIRE_MESSAGE(outcome.status == RunStatus::done, outcome.reason);
      for (const PeerOutcome& peer : outcome.peers) CHECK(peer.congestions == (line.empty() ? reno : bbr));
    }
  }

  TEST_CASE("kernel network: latency counts from the end of the transmission, whoever holds it") {
    if (skipped_without_namespaces("latency in the kernel's network")) return;
    const auto experiment = experiment_with("bandwidth = \"20 Mbit/s\"\nlatency = \"40 ms\"\n");
    const KernelNetwork network(experiment.settings, experiment.peer_count());
    CHECK((network.description().find("built-in link holds the latency") == std::string::npos) ==
          network.holds_latency());
    const auto outcome = run_local(experiment, {}, &network);
    REQUIRE_MESSAGE(outcome.status == RunStatus::done, outcome.reason);
    CHECK(outcome.seconds >=
          least_seconds(outcome.peers[0].meters.bytes_sent, parse_bandwidth("bandwidth", "20 Mbit/s")) +
              iterations * 0.040);
  }

  TEST_CASE("kernel network: a peer that joins later comes to a host of its own, whose address all know") {
    if (skipped_without_namespaces("network of the kernel")) return;
    const auto experiment = prepare<float>(parse_run(R"toml(
run = { iterations = 200, evaluate_every = 20 }
model.kind = "quadratic(20)"
topology = { kind = "ring", peers = 4 }
algorithm = { kind = "d-psgd", batch = "full", step_size = 0.01 }
network = { compute = "5 ms", bandwidth = "20 Mbit/s" }
failure = { policy = "drop", lost_after = "500 ms", join_later = [2] }
fault = [{ at = "300 ms", peer = 2, kind = "rejoin" }]
)toml",
                                                     ".", {}, "kernel network"));
    const KernelNetwork network(experiment.settings, experiment.peer_count());
    const auto real = run_local(experiment, {}, &network);
    REQUIRE_MESSAGE(real.status == RunStatus::done, real.reason);
    CHECK(real.joined == std::vector<PeerId>{2});
    CHECK(real.dropped.empty());
  }

  TEST_CASE("kernel network: a single link has no bandwidth of its own") {
    if (skipped_without_namespaces("refusal of a link's bandwidth")) return;
    const auto experiment = experiment_with("[[network.link]]\nfrom = 0\nto = 1\nbandwidth = \"1 Mbit/s\"\n");
    CHECK(misuse_text([&] {
            KernelNetwork(experiment.settings, 4);
          }).find("network.link.bandwidth = 1 Mbit/s: ") == 0);
  }

  TEST_CASE("kernel network: it does not shape evaluations") {
    if (skipped_without_namespaces("refusal of shaped evaluations")) return;
    const auto experiment = experiment_with("evaluations = \"shaped\"\n");
    CHECK(misuse_text([&] {
            KernelNetwork(experiment.settings, 4);
          }).find("network.evaluations = shaped: ") == 0);
  }
}

}  // namespace hearsay::test::kernel_network_test

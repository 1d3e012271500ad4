#include "runtime/rules/transport_rules.hpp"

#include <doctest/doctest.h>

#include "tests/support/experiments.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace hearsay::transport_rules_test {

namespace {

/// A run of four peers in a ring over `transport`. With `addresses` they are those of a topology file.
Experiment<float> run_over(const std::string& transport, bool addresses, const std::string& more = "") {
  const TemporaryFolder folder("transport");
  folder.write(
      "cluster.toml",
      "family = \"ring\"\n[[peer]]\nname = \"n[0-3]\"\naddress = \"tcp://127.0.0.1:[27101-27104]\"\n");
  return experiment_from<float>(
      "run = { iterations = 2, evaluate_every = 1 }\nmodel.kind = \"quadratic(10)\"\nalgorithm.batch = "
      "\"full\"\nnetwork.transport = \"" +
      transport + "\"\n" + more +
      (addresses ? "topology.file = \"" + (folder.path() / "cluster.toml").string() + "\"\n"
                 : "topology.peers = 4\n"));
}

std::string carried_by(const Experiment<float>& experiment, bool is_in_kernel) {
  return to_text(transport_of(experiment.settings, experiment.topology.peers, is_in_kernel));
}

}  // namespace

TEST_CASE(
    "transport: it is TCP where peers have addresses or the kernel makes the network, else as one says") {
  CHECK(carried_by(run_over("auto", false), false) == "ipc");
  CHECK(carried_by(run_over("auto", false), true) == "tcp");
  CHECK(carried_by(run_over("auto", true), false) == "tcp");
  CHECK(carried_by(run_over("ipc", false), false) == "ipc");
  CHECK(carried_by(run_over("tcp", false), false) == "tcp");
}

TEST_CASE("transport: sockets of the machine are refused where only TCP goes") {
  CHECK(misuse_text([&] { run_over("ipc", true); }) ==
        "network.transport = ipc: the topology file gives addresses, where peers listen for TCP; expected "
        "\"auto\" or \"tcp\", or a topology file without addresses");
  const Experiment<float> ipc = run_over("ipc", false);
  CHECK(misuse_text([&] { require_fitting_transport(ipc.settings, ipc.topology.peers, true); }) ==
        "network.transport = ipc: the kernel's network connects hosts by TCP; expected \"auto\" or \"tcp\"");
  CHECK(misuse_text([&] { require_tcp(ipc.settings, "hearsay peer"); }) ==
        "network.transport = ipc: hearsay peer connects its peers by TCP; expected \"auto\" or \"tcp\"");
  for (const char* fitting : {"auto", "tcp"}) {
    const Experiment<float> experiment = run_over(fitting, true);
    CHECK(misuse_text([&] { require_tcp(experiment.settings, "hearsay peer"); }).empty());
    require_fitting_transport(experiment.settings, experiment.topology.peers, true);
  }
}

TEST_CASE("transport: a pace draws a warning where no connection is one of TCP to another host") {
  const std::string pace = "network.pace = \"10 Mbit/s\"";
  const auto warnings = [](const std::string& line, Transport transport, bool between_hosts) {
    return transport_warnings(run_over("auto", false, line + "\n").settings, transport, between_hosts);
  };
  using Warnings = std::vector<std::string>;
  CHECK(warnings(pace, Transport::ipc, false) ==
        Warnings{pace +
                 " has no effect: hearsay run takes sockets of this machine, not TCP (network.transport)"});
  CHECK(
      warnings(pace, Transport::tcp, false) ==
      Warnings{pace +
               " has no effect in hearsay run: only connections to other hosts are paced, and its peers are "
               "all on this machine"});
  CHECK(warnings(pace, Transport::tcp, true).empty());
  CHECK(warnings("", Transport::ipc, false).empty());
}

TEST_CASE("transport: congestion control draws a warning where no connection is one of TCP") {
  const RunSettings run = run_over("auto", false, "network.congestion = \"vegas\"\n").settings;
  CHECK(transport_warnings(run, Transport::ipc, false) ==
        std::vector<std::string>{"network.congestion = \"vegas\" has no effect: hearsay run takes sockets of "
                                 "this machine, not TCP (network.transport)"});
  CHECK(transport_warnings(run, Transport::tcp, false).empty());
}

}  // namespace hearsay::transport_rules_test

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "bench/foreign_network.hpp"
#include "runtime/cluster/links_file.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/network_namespaces.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::measured_network_test {

using namespace std::chrono_literals;

namespace {

constexpr double mbit_s = 1e6 / 8;

/// What TCP can carry of the bytes that the kernel counts: 1,448 of the 1,514 of a full frame.
constexpr double payload_share = 1448.0 / 1514.0;

bool is_near(double value, double wanted) { return std::abs(value / wanted - 1.0) < 0.2; }

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("measure: between hosts of different ports, bandwidths and latencies are those of the kernel") {
    if (skipped_without_namespaces("measured links between hosts")) return;
    if (access("/dev/net/tun", R_OK | W_OK) != 0) {
      MESSAGE("skipped: measured links between hosts (this machine has no TAP interfaces)");
      return;
    }
    const std::vector<ForeignNetwork::Wire> wires = {{Bandwidth{20 * mbit_s}, 4ms, 100ms},
                                                     {Bandwidth{8 * mbit_s}, 10ms, 100ms},
                                                     {Bandwidth{40 * mbit_s}, 2ms, 100ms},
                                                     {Bandwidth{5 * mbit_s}, 20ms, 100ms}};
    const ForeignNetwork network(wires);
    const DataFolder folder;
    std::string cluster = "family = \"ring\"\n";
    for (PeerId id = 0; id < wires.size(); ++id)
      cluster += "[[peer]]\naddress = \"tcp://" + ForeignNetwork::address(id) + ":7000\"\n";
    folder.write("cluster.toml", cluster);
    folder.write("run.toml",
                 "model.kind = \"quadratic(50)\"\nalgorithm.batch = \"full\"\n"
                 "topology.file = \"cluster.toml\"\n");

    std::vector<DataFolder> of_peer(wires.size());
    std::vector<std::unique_ptr<Program>> peers;
    for (PeerId id = 0; id < wires.size(); ++id)
      peers.push_back(
          std::make_unique<Program>(of_peer[id].path(),
                                    std::vector<std::string>{"check", folder.path() / "run.toml", "--connect",
                                                             "--measure", "--id", std::to_string(id)},
                                    Program::Output::file, [&network, id] { network.host(id).enter(); }));
    for (const auto& peer : peers) REQUIRE_MESSAGE(peer->wait() == 0, peer->complained());

    const LinksFile file = load_links_file(of_peer[0].path() / "links.toml", "links.toml");
    REQUIRE(file.links.size() == 12);
    for (const LinkOverride& link : file.links) {
      CAPTURE(link.from);
      CAPTURE(link.to);
      const ForeignNetwork::Wire& from = wires[link.from];
      const ForeignNetwork::Wire& to = wires[link.to];
      const double slower = std::min(from.bandwidth.bytes_per_s, to.bandwidth.bytes_per_s);
      CHECK_MESSAGE(is_near(link.bandwidth->bytes_per_s, payload_share * slower), to_text(*link.bandwidth));
      CHECK_MESSAGE(is_near(seconds(*link.latency), seconds(from.delay + to.delay) / 2),
                    to_text(*link.latency));
    }
    CHECK(is_near(file.ports[3].up.bytes_per_s, payload_share * 5 * mbit_s));
    CHECK(is_near(file.ports[0].down.bytes_per_s, payload_share * 20 * mbit_s));
  }
}

}  // namespace hearsay::test::measured_network_test

#include <doctest/doctest.h>

#include <string>

#include "runtime/settings/link_settings.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "tests/settings/run_file_text.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace hearsay::config_network_test {

TEST_CASE("config: bandwidth sets both directions, and a direction's own key overrides it in any order") {
  const auto both = parse("[network]\nbandwidth = \"10 Mbit/s\"").network;
  CHECK(both.bandwidth_up.bytes_per_s == 1.25e6);
  CHECK(both.bandwidth_down.bytes_per_s == 1.25e6);
  for (const std::string toml : {"network.bandwidth = \"10 Mbit/s\"\nnetwork.bandwidth_up = \"1 Mbit/s\"",
                                 "network.bandwidth_up = \"1 Mbit/s\"\nnetwork.bandwidth = \"10 Mbit/s\""}) {
    const auto network = parse(toml).network;
    CHECK(network.bandwidth_up.bytes_per_s == 1.25e5);
    CHECK(network.bandwidth_down.bytes_per_s == 1.25e6);
  }
}

TEST_CASE("config: a peer's own network starts from the common one") {
  const auto settings = parse(
      "[[network.peer]]\nid = 3\nbandwidth = \"1 Mbit/s\"\ncompute = \"lognormal(20 ms, 0.3)\"\n"
      "[[network.peer]]\nid = 5\nbandwidth_up = \"2 Mbit/s\"\n"
      "[network]\nlatency = \"5 ms\"\nbandwidth = \"10 Mbit/s\"\n");
  REQUIRE(settings.peer_networks.size() == 2);
  const NetworkSettings& third = settings.peer_networks.at(3);
  CHECK(third.latency == Duration{5'000'000});
  CHECK(third.bandwidth_up.bytes_per_s == 1.25e5);
  CHECK(third.bandwidth_down.bytes_per_s == 1.25e5);
  CHECK(third.compute == ComputeTime{ComputeTime::Kind::lognormal, Duration{20'000'000}, 0.3});
  CHECK(settings.peer_networks.at(5).bandwidth_up.bytes_per_s == 2.5e5);
  CHECK(settings.peer_networks.at(5).bandwidth_down.bytes_per_s == 1.25e6);
}

TEST_CASE("config: a whole number that is written as no TOML integer says how to write it") {
  CHECK(contains(refusal("run.iterations = 1e3"), "in digits only, such as 1000 for 1e3"));
  for (const std::string written : {"10.0", "1e3", "1.0e1", "1_0.0", "10.5", "-1.0", "+1.0", "nan", "-inf"}) {
    CAPTURE(written);
    CHECK(contains(refusal("run.iterations = " + written), "run.iterations = " + written + ": expected"));
    CHECK(contains(refusal("[run]\niterations =   " + written + "   # some\n"),
                   "run.iterations = " + written + ": expected"));
    CHECK(contains(refusal("run = { name = \"\u00e9\", iterations = " + written + " }"),
                   "run.iterations = " + written + ": expected"));
    CHECK(contains(refusal("", {"run.iterations=" + written}), "run.iterations = " + written + ": expected"));
  }
  CHECK(contains(refusal("topology.peers = 0x0"), "topology.peers = 0x0: expected"));
  CHECK(contains(refusal("algorithm.step_size = -1_0.50"), "algorithm.step_size = -1_0.50: expected"));
  CHECK(contains(refusal("model.program = [1.0, 2e3]"), "model.program = [1.0, 2e3]: expected"));
  CHECK(contains(refusal("", {"run.seed=100000000000000000000000"}),
                 "expected a whole number >= 0 and <= 9223372036854775807"));
}

TEST_CASE("config: a links file says the ports and any two peers' link, and tables of the run come first") {
  const TemporaryFolder folder("hearsay_links_file");
  const std::string file = folder
                               .write("links.toml",
                                      "latency = \"5 ms\"\n[[peer]]\nname = \"a\"\nbandwidth = \"8 Mbit/s\"\n"
                                      "[[peer]]\nname = \"b\"\nbandwidth = \"16 Mbit/s\"\n"
                                      "[[link]]\nfrom = \"b\"\nto = \"a\"\nbandwidth = \"4 Mbit/s\"\n")
                               .string();
  const std::string text =
      "topology.peers = 2\nnetwork.links = \"" + file + "\"\nnetwork.jitter = \"1 ms\"\n";
  const RunSettings settings = parse(text);
  CHECK(network_of(settings, 0).bandwidth_up.bytes_per_s == 1e6);
  CHECK(link_settings(settings, 1, 0) ==
        LinkSettings{Duration{5'000'000}, Duration{1'000'000}, 0.0, Bandwidth{5e5}});
  CHECK(link_settings(settings, 0, 1).bandwidth.unlimited());
  CHECK(parse(to_toml(settings)) == settings);

  const RunSettings own = parse(text +
                                "[[network.peer]]\nid = 0\nbandwidth_up = \"1 Mbit/s\"\n"
                                "[[network.link]]\nfrom = 1\nto = 0\nlatency = \"9 ms\"\n");
  CHECK(network_of(own, 0).bandwidth_up.bytes_per_s == 1.25e5);
  CHECK(network_of(own, 0).bandwidth_down.bytes_per_s == 1e6);
  CHECK(link_settings(own, 1, 0).latency == Duration{9'000'000});
  CHECK(link_settings(own, 1, 0).bandwidth == Bandwidth{5e5});
  CHECK(contains(refusal("topology.peers = 3\nnetwork.links = \"" + file + "\"\n"),
                 "expected links between 3 peers, as [topology] has, not 2"));
}

}  // namespace hearsay::config_network_test

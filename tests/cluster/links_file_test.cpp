#include "runtime/cluster/links_file.hpp"

#include <doctest/doctest.h>

#include <string>

#include "tests/support/misuse_text.hpp"

namespace hearsay::links_file_test {

namespace {

using namespace std::chrono_literals;

LinksFile parse(const std::string& toml) { return parse_links(toml, "links.toml"); }

std::string refusal(const std::string& toml) {
  return misuse_text([&] { parse(toml); });
}

const std::string two_peers = "[[peer]]\nname = \"a\"\n[[peer]]\nname = \"b\"\n";

std::string link(const std::string& from, const std::string& to, const std::string& keys) {
  return "[[link]]\nfrom = \"" + from + "\"\nto = \"" + to + "\"\n" + keys;
}

const std::string there = link("a", "b", "latency = \"5 ms\"\nbandwidth = \"10 Mbit/s\"\n");
const std::string back = link("b", "a", "latency = \"7 ms\"\nbandwidth = \"20 Mbit/s\"\n");

}  // namespace

TEST_CASE("links file: a table for each pair and direction") {
  const LinksFile file = parse(two_peers + back + there);
  CHECK(file.names == std::vector<std::string>{"a", "b"});
  REQUIRE(file.links.size() == 2);
  CHECK(file.links[0] == LinkOverride{0, 1, 5ms, Bandwidth{1.25e6}});
  CHECK(file.links[1] == LinkOverride{1, 0, 7ms, Bandwidth{2.5e6}});
  const PairwiseLinks links = pairwise(file);
  CHECK(links.link(1, 0).latency_s == doctest::Approx(0.007));
  CHECK(links.link(0, 1).bytes_per_s == 1.25e6);
  CHECK(links.port(0).up_bytes_per_s == PairwiseLinks::unlimited);
}

TEST_CASE("links file: what stands at its head is for all links, and ports limit, too") {
  const LinksFile file = parse(
      "latency = \"5 ms\"\n[[peer]]\nname = \"a\"\nbandwidth = \"8 Mbit/s\"\n"
      "bandwidth_up = \"4 Mbit/s\"\n[[peer]]\nname = \"b\"\nbandwidth = \"16 Mbit/s\"\n");
  CHECK(file.ports[0] == PortBandwidths{Bandwidth{5e5}, Bandwidth{1e6}});
  CHECK(file.links[1] == LinkOverride{1, 0, 5ms, {}});
  CHECK(parse("peers = 4\nlatency = \"1 ms\"\nbandwidth = \"unlimited\"\n").links.size() == 12);
}

TEST_CASE("links file: what is written reads back the same") {
  for (const std::string& text :
       {two_peers + there + back,
        "peers = 3\nlatency = \"1 ms\"\nbandwidth = \"unlimited\"\n" + std::string(),
        "latency = \"5 ms\"\n[[peer]]\nname = \"a b\"\nbandwidth_up = \"4 Mbit/s\"\n[[peer]]\nname = \"c\"\n"
        "bandwidth = \"3 MiB/s\"\n" +
            std::string()}) {
    const LinksFile file = parse(text);
    CHECK(parse(to_toml(file)) == file);
  }
}

TEST_CASE("links file: a hole, a negative number and an unknown peer are one sentence each") {
  CHECK(refusal(two_peers + there) ==
        "links.toml: link.from = \"b\", link.to = \"a\": there is no latency; expected one in a [[link]] of "
        "this "
        "pair and direction, or latency for all links at the head of the file");
  CHECK(
      refusal(two_peers + there + link("b", "a", "latency = \"7 ms\"\n")) ==
      "links.toml: link.from = \"b\", link.to = \"a\": there is no bandwidth; expected one in a [[link]] of "
      "this pair and direction, at the head of the file, or in the [[peer]] of one of them");
  CHECK(
      refusal("peers = 3\n[[link]]\nfrom = 0\nto = 1\nlatency = \"5 ms\"\nbandwidth = \"1 Mbit/s\"\n") ==
      "links.toml: link.from = 0, link.to = 2: there is no latency; expected one in a [[link]] of this pair "
      "and direction, or latency for all links at the head of the file");
  CHECK(refusal("peers = 2\nlatency = \"5 ms\"\n") ==
        "links.toml: link.from = 0, link.to = 1: there is no bandwidth; expected one in a [[link]] of this "
        "pair and direction, or bandwidth for all links at the head of the file");
  CHECK(contains(refusal(two_peers + link("a", "b", "latency = \"-5 ms\"\n")),
                 "links.toml:8: link.latency = \"-5 ms\": expected"));
  CHECK(contains(refusal(two_peers + link("a", "b", "bandwidth = \"-1 Mbit/s\"\n")),
                 "links.toml:8: link.bandwidth = \"-1 Mbit/s\": expected"));
  CHECK(contains(refusal(two_peers + link("a", "bb", "latency = \"5 ms\"\n")),
                 "links.toml:7: link.to = \"bb\": expected a peer's name"));
  CHECK(contains(refusal(two_peers + there + there),
                 "link.to = \"b\": expected a pair and direction that no [[link]] above has"));
  CHECK(contains(refusal(two_peers + link("a", "a", "")), "expected another peer than link.from"));
  CHECK(contains(refusal(two_peers + there + link("b", "a", "")),
                 "link.to = \"a\": expected latency or bandwidth beside from and to"));
  CHECK(contains(refusal(two_peers + two_peers), "expected a name of its own for each peer"));
  CHECK(contains(refusal(""), "expected peers = N, or [[peer]] tables"));
  CHECK(contains(refusal("peers = 2\n" + two_peers), "expected either peers or [[peer]] tables"));
  CHECK(contains(refusal("peers = 2\nlatencies = \"5 ms\"\n"), "latencies"));
}

}  // namespace hearsay::links_file_test

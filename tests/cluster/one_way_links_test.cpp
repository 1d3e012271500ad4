#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "runtime/cluster/topology_file.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/topology_text.hpp"

namespace hearsay::one_way_links_test {

namespace {

NamedTopology parse(const std::string& toml) { return parse_topology(toml, 1, "c.toml"); }

std::string refusal(const std::string& toml) {
  return misuse_text([&] { parse(toml); });
}

/// A one-way ring with a shortcut both ways.
const std::string one_way_ring = R"(peers = 4
[[link]]
from = 0
to = 1
one_way = true
latency = "5 ms"
[[link]]
from = 1
to = 2
one_way = true
[[link]]
from = 2
to = 3
one_way = true
[[link]]
from = 3
to = 0
one_way = true
[[link]]
from = 0
to = 2
)";

std::vector<PeerId> ids_of(const std::vector<WeightedNeighbor>& neighbors) {
  std::vector<PeerId> ids;
  for (const WeightedNeighbor& neighbor : neighbors) ids.push_back(neighbor.id);
  return ids;
}

}  // namespace

TEST_CASE("cluster file: of a one-way link only `to` hears `from`, and its network is that way's alone") {
  const NamedTopology cluster = parse(one_way_ring);
  CHECK(cluster.weights == "one-way");
  CHECK(ids_of(cluster.mixing.row(0).hears) == std::vector<PeerId>{2, 3});
  CHECK(cluster.mixing.row(0).heard_by == std::vector<PeerId>{1, 2});
  CHECK(ids_of(cluster.mixing.row(1).hears) == std::vector<PeerId>{0});
  CHECK(cluster.mixing.row(1).heard_by == std::vector<PeerId>{2});
  CHECK(ids_of(cluster.mixing.row(2).hears) == std::vector<PeerId>{0, 1});
  CHECK(cluster.mixing.row(2).heard_by == std::vector<PeerId>{0, 3});
  CHECK_FALSE(cluster.mixing.mutual());
  CHECK_FALSE(cluster.mixing.doubly_stochastic());
  CHECK(cluster.links == std::vector<LinkOverride>{{0, 1, Duration{5'000'000}, {}}});
  const NamedTopology again = parse(to_toml(cluster));
  CHECK(to_toml(again) == to_toml(cluster));
  CHECK(again.links == cluster.links);
  for (PeerId id = 0; id < 4; ++id) {
    CHECK(ids_of(again.mixing.row(id).hears) == ids_of(cluster.mixing.row(id).hears));
    CHECK(again.mixing.row(id).heard_by == cluster.mixing.row(id).heard_by);
  }
  // one_way = false is the default.
  CHECK(parse("peers = 2\nlink = [{from = 0, to = 1, one_way = false}]\n").mixing.symmetric());
}

TEST_CASE("cluster file: one-way links that lead nowhere, or have weights, are refused") {
  const std::string to_one = "peers = 3\nlink = [{from = 0, to = 1, one_way = true}, {from = 0, to = 2}]\n";
  CHECK(refusal(to_one) ==
        "c.toml: the news of peer 1 never reach peer 0: expected links that lead from every peer to every "
        "other");
  CHECK(contains(
      refusal("weights = \"lazy\"\n" + one_way_ring),
      "link.one_way = true: expected no weights beside one-way links, not \"lazy\": the methods that "
      "take such links share equally"));
  CHECK(contains(refusal("peers = 2\nlink = [{from = 0, to = 1, weight = 0.5, one_way = true}]\n"),
                 "expected no weights beside one-way links, not \"explicit\""));
  CHECK(misuse_text([] { parse_topology(one_way_ring, 1, "c.toml", "max-degree"); }) != "");
}

}  // namespace hearsay::one_way_links_test

#include "runtime/cluster/topology_file.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/topology_text.hpp"
#include "topology/families.hpp"

namespace hearsay::topology_file_test {

namespace {

NamedTopology parse(const std::string& toml) { return parse_topology(toml, 1, "c.toml"); }

std::string refusal(const std::string& toml) {
  return misuse_text([&] { parse(toml); });
}

bool same_rows(const MixingMatrix& one, const MixingMatrix& other) {
  if (one.peer_count() != other.peer_count()) return false;
  for (PeerId peer = 0; peer < one.peer_count(); ++peer) {
    const MixingRow& a = one.row(peer);
    const MixingRow& b = other.row(peer);
    if (a.self_weight != b.self_weight || a.heard_by != b.heard_by || a.hears.size() != b.hears.size())
      return false;
    for (std::size_t i = 0; i < a.hears.size(); ++i)
      if (a.hears[i].id != b.hears[i].id || a.hears[i].weight != b.hears[i].weight) return false;
  }
  return true;
}

void check_same(const NamedTopology& one, const NamedTopology& other) {
  CHECK(one.graph.edges() == other.graph.edges());
  CHECK(same_rows(one.mixing, other.mixing));
  CHECK(one.peers == other.peers);
  CHECK(one.links == other.links);
  CHECK(one.observer == other.observer);
  CHECK(one.observer_bind == other.observer_bind);
  CHECK(one.family == other.family);
  CHECK(one.weights == other.weights);
}

/// Returns a random topology file: a family or a random connected graph, with or without names, weights and
/// links' own networks.
std::string random_description(std::uint64_t seed) {
  RandomStream random(seed, 0, 0, Purpose::data);
  const auto chance = [&] { return random.below(2) == 1; };
  const std::uint64_t count = 1 + random.below(9);
  const bool family = chance();
  const bool named = chance();
  const bool addresses = chance();
  std::string text;
  if (family) text += "family = \"" + std::string(chance() ? "ring" : "erdos-renyi(0.9)") + "\"\n";
  const bool explicit_weights = !family && chance();
  if (!explicit_weights) text += "weights = \"" + std::string(chance() ? "metropolis" : "lazy") + "\"\n";
  if (chance()) text += "observer = \"tcp://observer.example:9000\"\n";
  if (text.find("observer") != text.npos && chance()) text += "observer_bind = \"tcp://*:9000\"\n";
  if (!named) text += "peers = " + std::to_string(count) + "\n";
  for (std::uint64_t peer = 0; named && peer < count; ++peer) {
    text += "[[peer]]\nname = \"p " + std::to_string(count - peer) + "\"\n";
    if (addresses) text += "address = \"tcp://[::1]:" + std::to_string(7000 + peer) + "\"\n";
    if (addresses && chance()) text += "bind = \"tcp://0.0.0.0:" + std::to_string(7100 + peer) + "\"\n";
    if (chance()) text += "host = \"user@node\"\n";
  }
  const auto peer_text = [&](std::uint64_t peer) {
    return named && chance() ? "\"p " + std::to_string(count - peer) + "\"" : std::to_string(peer);
  };
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  const auto add_link = [&](std::uint64_t a, std::uint64_t b) {
    if (a == b || !seen.emplace(std::min(a, b), std::max(a, b)).second) return;
    text += "[[link]]\nfrom = " + peer_text(a) + "\nto = " + peer_text(b) + "\n";
    if (explicit_weights) text += "weight = " + std::to_string(0.01 + 0.2 * random.uniform()) + "\n";
    if (chance()) text += "latency = \"" + std::to_string(random.below(100000)) + " us\"\n";
    if (chance()) text += "bandwidth = \"" + std::to_string(1 + random.below(1000)) + " kbit/s\"\n";
  };
  if (!family) {
    for (std::uint64_t peer = 1; peer < count; ++peer) add_link(peer, random.below(peer));
    for (int more = 0; more < 4; ++more) add_link(random.below(count), random.below(count));
  }
  return text;
}

const std::string triangle = R"(peers = 3
[[link]]
from = 0
to = 1
weight = 0.25
[[link]]
from = 1
to = 2
weight = 0.125
[[link]]
from = 2
to = 0
weight = 0.5
)";

}  // namespace

TEST_CASE("cluster file: what is spelled parses back to the same cluster") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const std::string text = random_description(seed);
    CAPTURE(text);
    const NamedTopology cluster = parse(text);
    CAPTURE(to_toml(cluster));
    check_same(parse(to_toml(cluster)), cluster);
    CHECK(to_toml(parse(to_toml(cluster))) == to_toml(cluster));
  }
}

TEST_CASE("cluster file: names, addresses, hosts and link networks are read as they stand") {
  const NamedTopology cluster = parse(R"(
observer = "tcp://10.0.0.9:6999"
[[peer]]
name = "a"
address = "tcp://10.0.0.1:7000"
host = "user@node1"
[[peer]]
name = "b"
address = "tcp://10.0.0.2:7000"
[[peer]]
address = "tcp://[fe80::1%eth0]:65535"
[[link]]
from = "b"
to = "a"
latency = "5 ms"
[[link]]
from = "2"
to = 0
bandwidth = "10 Mbit/s"
)");
  CHECK(cluster.observer == "tcp://10.0.0.9:6999");
  CHECK(cluster.peers == std::vector<NamedPeer>{{"a", "tcp://10.0.0.1:7000", "user@node1"},
                                                {"b", "tcp://10.0.0.2:7000", ""},
                                                {"2", "tcp://[fe80::1%eth0]:65535", ""}});
  CHECK(cluster.graph.edges() == std::vector<Edge>{{0, 1}, {0, 2}});
  CHECK(cluster.links == std::vector<LinkOverride>{{0, 1, Duration{5'000'000}, {}},
                                                   {0, 2, {}, Bandwidth{1.25e6}},
                                                   {1, 0, Duration{5'000'000}, {}},
                                                   {2, 0, {}, Bandwidth{1.25e6}}});
  CHECK(cluster.family.empty());
  CHECK(cluster.weights == "metropolis");
  CHECK(same_rows(cluster.mixing, MixingMatrix::metropolis(cluster.graph)));
}

TEST_CASE("cluster file: explicit weights are the links' own, both ways, and the rest is the self weight") {
  for (const std::string said : {"", "weights = \"explicit\"\n"}) {
    const NamedTopology cluster = parse(said + triangle);
    CHECK(cluster.weights == "explicit");
    CHECK(cluster.mixing.symmetric());
    CHECK(cluster.mixing.row(0).self_weight == 0.25);   // 1 - 0.25 - 0.5
    CHECK(cluster.mixing.row(1).self_weight == 0.625);  // 1 - 0.25 - 0.125
    CHECK(cluster.mixing.row(2).self_weight == 0.375);  // 1 - 0.5 - 0.125
    CHECK(cluster.mixing.row(2).hears[0].weight == 0.5);
    CHECK(cluster.mixing.row(2).hears[1].weight == 0.125);
  }
}

TEST_CASE("cluster file: a family with its peers is the run file's topology of the same words") {
  for (const std::string family : {"ring", "torus(3x4)", "random-regular(4)", "small-world(4, 0.3)"})
    for (const std::string weights : {"metropolis", "max-degree", "lazy", "best-constant"}) {
      CAPTURE(family);
      const NamedTopology described = parse_topology(
          "family = \"" + family + "\"\npeers = 12\nweights = \"" + weights + "\"", 7, "c.toml");
      check_same(described, make_named_topology({family, 12, weights, "static", {}}, 7));
      CHECK(described.graph.edges() == make_graph(family, 12, 7).edges());
    }
}

TEST_CASE("cluster file: one peer needs no links, two need one") {
  CHECK(parse("peers = 1").graph.peer_count() == 1);
  CHECK(parse("[[peer]]\nname = \"alone\"").mixing.row(0).self_weight == 1.0);
  CHECK(parse("family = \"ring\"\npeers = 1").graph.edges().empty());
  CHECK(parse("family = \"ring\"\npeers = 2").graph.edges() == std::vector<Edge>{{0, 1}});
  CHECK(parse("peers = 2\nlink = [{from = 0, to = 1}]").mixing.row(0).self_weight == 0.5);
}

TEST_CASE("cluster file: a run takes the file's weights, and its own where the file says none") {
  const TemporaryFolder folder("hearsay_cluster_file");
  TopologySettings topology;
  topology.weights = "lazy";
  topology.file = folder.write("plain.toml", "family = \"ring\"\npeers = 5\n");
  CHECK(make_named_topology(topology, 1).weights == "lazy");
  topology.file = folder.write("said.toml", "family = \"ring\"\npeers = 5\nweights = \"max-degree\"\n");
  CHECK(misuse_text([&] { make_named_topology(topology, 1); }) ==
        "topology.weights = \"lazy\": expected \"max-degree\", the weights of " + topology.file.string() +
            ", or none: they are its own");
  topology.weights = "auto";  // the default: the run accepts the file's weights
  CHECK(make_named_topology(topology, 1).weights == "max-degree");
  topology.file = folder.write("explicit.toml", triangle);
  CHECK(make_named_topology(topology, 1).weights == "explicit");
  CHECK(peer_count_of_topology_file(topology.file, "topology.file") == 3);
  topology.weights = "lazy";
  CHECK(contains(misuse_text([&] { make_named_topology(topology, 1); }), "expected \"explicit\""));
}

TEST_CASE(
    "cluster file: the weights of a drawing are mixing weights only where the run wants explicit ones") {
  const TemporaryFolder folder("hearsay_cluster_file_drawn_weights");
  TopologySettings topology;
  topology.file = folder.write("roads.dot", "graph { a -- b [weight=4]; b -- c [weight=5] }");
  CHECK(make_named_topology(topology, 1).mixing.row(1).self_weight == doctest::Approx(1.0 / 3.0));
  topology.weights = "lazy";
  CHECK(make_named_topology(topology, 1).weights == "lazy");
  topology.weights = "explicit";
  CHECK(contains(
      misuse_text([&] { make_named_topology(topology, 1); }),
      "roads.dot: with these link weights the peers never agree: the mixing matrix has eigenvalues from -"));
  topology.file = folder.write("mixing.dot", "graph { a -- b [weight=0.25]; b -- c [weight=0.5] }");
  CHECK(make_named_topology(topology, 1).mixing.row(1).self_weight == 0.25);
  topology.file = folder.write("without.dot", "graph { a -- b }");
  CHECK(contains(misuse_text([&] { make_named_topology(topology, 1); }), "expected a weight on every link"));
  topology.file.clear();
  CHECK(contains(misuse_text([&] { make_named_topology(topology, 1); }), "expected a topology file"));
}

TEST_CASE("cluster file: explicit weights with an eigenvalue of -1 never agree and are refused") {
  CHECK(contains(refusal("peers = 2\n[[link]]\nfrom = 0\nto = 1\nweight = 1"), "has eigenvalues from -1 to"));
}

TEST_CASE(
    "cluster file: a cluster drawn as GraphML or DOT reads back, names, weights and networks included") {
  const TemporaryFolder folder("hearsay_cluster_file_drawn");
  std::size_t with_networks = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    NamedTopology cluster = parse(random_description(seed));
    CAPTURE(to_toml(cluster));
    // These names sort like the ids in DOT and GraphML. What the formats do not carry is cleared.
    for (std::size_t id = 0; id < cluster.peers.size(); ++id) {
      cluster.peers[id].name = "peer " + std::to_string(id);
      cluster.peers[id].host.clear();
      cluster.peers[id].bind.clear();
    }
    cluster.family.clear();
    cluster.observer.clear();
    cluster.observer_bind.clear();
    with_networks += cluster.links.empty() ? 0 : 1;
    for (const auto& file : {folder.write("c.graphml", to_graphml(annotated(cluster))),
                             folder.write("c.dot", to_dot(annotated(cluster))),
                             folder.write("c.gv", to_dot(annotated(cluster)))}) {
      check_same(load_topology_file(file, 1, cluster.weights), cluster);
      CHECK(peer_count_of_topology_file(file, "topology.file") == cluster.peers.size());
    }
  }
  CHECK(with_networks > 20);
}

TEST_CASE("cluster file: what a drawn graph has wrong is refused with the file and the peer or link") {
  const TemporaryFolder folder("hearsay_cluster_file_wrong");
  const auto refusal_of = [&](const std::string& dot, const std::string& weights = "metropolis") {
    const auto file = folder.write("c.dot", dot);
    const std::string message = misuse_text([&] { load_topology_file(file, 1, weights); });
    CAPTURE(message);
    CHECK(message.starts_with(file.string()));
    return message;
  };
  CHECK(contains(refusal_of("graph { a -- b [weight=0.3]; b -- c }", "explicit"),
                 "link b - c: link.weight is missing here and given at"));
  CHECK(contains(refusal_of("graph { a -- b }", "explicit"), "expected a weight on every link"));
  CHECK(contains(refusal_of("graph { a -- b [latency=\"5\"] }"),
                 "link a - b: latency = \"5\": expected a number"));
  CHECK(contains(refusal_of("graph { a -- b [bandwidth=\"fast\"] }"), "link a - b: bandwidth = \"fast\""));
  CHECK(contains(refusal_of("graph { a -- b [weight=0] }", "explicit"), "weight = 0"));
  CHECK(contains(refusal_of("graph { a [address=\"here\"]; a -- b }"), "peer a: address = \"here\""));
  CHECK(contains(refusal_of("graph { a -- b; c -- d; e -- f; a -- e; b -- e; b -- f }"), "not connected"));
  refusal_of("graph { a -- ");
}

TEST_CASE("cluster file: what is wrong is refused in one sentence with its place") {
  const std::string three =
      "[[peer]]\nname = \"alpha\"\n[[peer]]\nname = \"beta\"\n[[peer]]\nname = \"gamma\"\n";
  const auto link = [](const std::string& from, const std::string& to, const std::string& more = "") {
    return "[[link]]\nfrom = " + from + "\nto = " + to + "\n" + more;
  };
  const std::string ring = link("0", "1") + link("1", "2") + link("2", "0");

  CHECK(contains(refusal(three + link("\"alpha\"", "\"beat\"")),
                 "c.toml:9: link.to = \"beat\": expected a peer's name, did you mean \"beta\"?"));
  CHECK(contains(refusal(three + link("3", "0")),
                 "c.toml:8: link.from = 3: expected a peer's name or its id, 0 to 2"));
  CHECK(contains(refusal(three + link("-1", "0")), "c.toml:8: link.from = -1"));
  CHECK(contains(refusal(three + link("1.5", "0")), "expected a peer's name or its id"));
  CHECK(contains(refusal("peers = 3\n" + link("\"a\"", "0")), "[[peer]] tables that name the peers"));
  CHECK(contains(refusal(three + link("0", "1") + link("\"beta\"", "\"alpha\"")),
                 "c.toml:10: the link between \"beta\" and \"alpha\" was already given at c.toml:7"));
  CHECK(contains(refusal(three + link("1", "\"beta\"")),
                 "c.toml:9: link.to = \"beta\": expected another peer"));
  CHECK(contains(refusal(three + "[[link]]\nfrom = 1"), "c.toml:7: link: every [[link]] needs the key to"));
  CHECK(contains(refusal("peers = 3\n" + link("0", "1", "weight = 0.3\n") + link("1", "2")),
                 "c.toml:6: link.weight is missing here and given at c.toml:2"));
  CHECK(contains(refusal("peers = 2\n" + link("0", "1", "weight = 0\n")), "c.toml:5: link.weight = 0"));
  CHECK(contains(refusal("peers = 2\n" + link("0", "1", "weight = nan\n")), "c.toml:5: link.weight = nan"));
  CHECK(
      contains(refusal("weights = \"lazy\"\n" + triangle), "expected weights = \"explicit\", not \"lazy\""));
  CHECK(contains(refusal("weights = \"explicit\"\npeers = 3\n" + ring), "expected a weight on every link"));
  CHECK(contains(refusal("weights = \"explicit\"\npeers = 3\nfamily = \"ring\""), "not a family"));
  CHECK(contains(refusal("weights = \"metropolys\"\npeers = 3\n" + ring), "metropolis"));
  CHECK(contains(refusal("peers = 4\n" + ring), "c.toml: the graph is not connected"));
  CHECK(contains(refusal("peers = 4294967295\n" + ring), "3 links cannot connect 4294967295 peers"));
  CHECK(contains(refusal("family = \"ring\"\npeers = 3\n" + ring), "family or [[link]] tables, not both"));
  CHECK(contains(refusal("family = \"rnig\"\npeers = 3\n"), "ring"));
  CHECK(contains(refusal("family = \"torus(4x4)\"\npeers = 12\n"), "16"));
  CHECK(contains(refusal(""), "c.toml: expected peers = N, or [[peer]] tables"));
  CHECK(contains(refusal("peers = 2"), "c.toml: expected family"));
  CHECK(contains(refusal("peers = 0"), "c.toml:1: peers = 0: expected a whole number >= 1"));
  CHECK(contains(refusal("peers = 2\n" + three + ring),
                 "c.toml:1: peers = 2: expected as many as [[peer]] tables name, 3"));
  CHECK(contains(refusal("peer = 3"), "c.toml:1: peer = 3: expected an array of tables, [[peer]]"));
  CHECK(refusal("[peer]\nname = \"a\"") == "c.toml:1: peer: expected [[peer]] for each peer, not [peer]");
  CHECK(refusal("family = \"ring\"\n[[peers]]\nname = \"a\"") ==
        "c.toml:2: peers: expected [[peer]] for each peer, not [[peers]]");
  CHECK(
      contains(refusal(three + "[link]\nfrom = \"a\""), "link: expected [[link]] for each link, not [link]"));
  CHECK(refusal("[run]\nname = \"a\"") ==
        "c.toml:1: [run] is of a run file; expected a topology file, which the run file names as "
        "topology.file");
  CHECK(contains(refusal("peers = 3\n" + link("0", "1")), "c.toml: 1 link cannot connect 3 peers"));
  CHECK(contains(refusal(three + three), "peer.name = \"alpha\": expected a name of its own"));
  CHECK(contains(refusal("famly = \"ring\""), "c.toml:1: famly: unknown key, did you mean family?"));
  CHECK(contains(refusal("[[peer]]\nadress = \"x\""),
                 "c.toml:2: peer.adress: unknown key, did you mean peer.address?"));
  CHECK(
      contains(refusal("peers = 2\n" + link("0", "1", "latncy = \"5 ms\"\n")), "did you mean link.latency?"));
  CHECK(contains(refusal("peers = 2\n" + link("0", "1", "latency = 5\n")),
                 "c.toml:5: link.latency = 5: expected text"));
  CHECK(contains(refusal("peers = \n"), "c.toml:1:"));
}

TEST_CASE("cluster file: addresses have a host and a port, one for every peer or none, each its own") {
  const auto with = [](const std::string& address) { return "[[peer]]\naddress = \"" + address + "\"\n"; };
  for (const std::string bad :
       {"", "10.0.0.1:7000", "tcp://", "tcp://:7000", "tcp://host", "tcp://host:", "tcp://host:0",
        "tcp://host:65536", "tcp://host:70000000000", "tcp://host:7x", "tcp://host:-1", "udp://host:1",
        "tcp://ho st:1", "tcp://host/x:1", "tcp://::1:1", "tcp://[]:1", "tcp://a:1;b", "tcp://host:1 "}) {
    CAPTURE(bad);
    CHECK(contains(refusal(with(bad)),
                   "c.toml:2: peer.address = \"" + bad + "\": expected \"tcp://HOST:PORT\""));
    CHECK(contains(refusal("peers = 1\nobserver = \"" + bad + "\""), "c.toml:2: observer"));
  }
  for (const std::string good :
       {"tcp://host:1", "tcp://10.0.0.1:65535", "tcp://[::1]:7000", "tcp://a-b_c.example:80"})
    CHECK(parse(with(good)).peers[0].address == good);
  for (const std::string everywhere : {"tcp://*:1", "tcp://0.0.0.0:7000", "tcp://[::]:7000"}) {
    CHECK(contains(refusal(with(everywhere)), "expected an address where others find it"));
    CHECK(contains(refusal("peers = 1\nobserver = \"" + everywhere + "\""), "where others find it"));
    const std::string bind = "bind = \"" + everywhere + "\"\n";
    CHECK(parse(with("tcp://h:1") + bind).peers[0].bind == everywhere);
    CHECK(contains(refusal("[[peer]]\n" + bind), "expected peer.address, too"));
    CHECK(parse("peers = 1\nobserver = \"tcp://h:1\"\nobserver_" + bind).observer_bind == everywhere);
    CHECK(contains(refusal("peers = 1\nobserver_" + bind),
                   "observer_bind = \"" + everywhere + "\": expected observer, too"));
  }
  CHECK(contains(refusal(with("tcp://h:1") + "bind = \"tcp://*\"\n"),
                 "peer.bind = \"tcp://*\": expected \"tcp://HOST:PORT\""));
  const std::string link = "[[link]]\nfrom = 0\nto = 1\n";
  CHECK(contains(refusal(with("tcp://h:1") + with("tcp://h:1") + link),
                 "peer \"1\" has the address tcp://h:1 of peer \"0\""));
  CHECK(contains(refusal("observer = \"tcp://h:1\"\n" + with("tcp://h:1")), "tcp://h:1 of the observer"));
  CHECK(contains(refusal(with("tcp://h:1") + "[[peer]]\nname = \"b\"\n" + link),
                 "peer \"b\" has no address while others have"));
  CHECK(contains(refusal("[[peer]]\nname = \"b\"\n" + with("tcp://h:1") + link),
                 "peer \"1\" has an address while others have none"));
}

TEST_CASE("cluster file: of weights that never agree, a negative one is named") {
  const std::string message = refusal(
      "peers = 3\nweights = \"explicit\"\n[[link]]\nfrom = 0\nto = 1\nweight = -0.2\n"
      "[[link]]\nfrom = 1\nto = 2\nweight = 0.2\n");
  CHECK(contains(message, "the weight -0.2 between "));
  CHECK(contains(message, "drives the two apart; expected a positive one"));
  CHECK_FALSE(contains(message, "smaller"));
}

}  // namespace hearsay::topology_file_test

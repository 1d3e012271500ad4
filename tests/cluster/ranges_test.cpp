#include <doctest/doctest.h>

#include "runtime/cluster/topology_file.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/topology_text.hpp"

namespace hearsay::ranges_test {

namespace {

NamedTopology parse(const std::string& toml) { return parse_topology(toml, 1, "c.toml"); }

std::string refusal(const std::string& toml) {
  return misuse_text([&] { parse(toml); });
}

}  // namespace

TEST_CASE("cluster file: ranges make one table many peers, in order") {
  const NamedTopology cluster = parse(R"(
family = "ring"
[[peer]]
name = "n[08-10]"
host = "user@node[08-10]"
address = "tcp://10.0.0.[1-3]:[7000-7002]"
[[peer]]
name = "last"
host = "node1"
address = "tcp://10.0.0.4:7000"
)");
  CHECK(cluster.peers == std::vector<NamedPeer>{{"n08", "tcp://10.0.0.1:7000", "user@node08"},
                                                {"n09", "tcp://10.0.0.2:7001", "user@node09"},
                                                {"n10", "tcp://10.0.0.3:7002", "user@node10"},
                                                {"last", "tcp://10.0.0.4:7000", "node1"}});
  CHECK(parse(to_toml(cluster)).peers == cluster.peers);
  // A key without a range is the same for all peers. Peers without a name are named by their ids.
  const NamedTopology one_host = parse(
      "family = \"ring\"\n[[peer]]\nhost = \"node\"\naddress = \"tcp://h:[7000-7002]\"\ndirectory = "
      "\"w[1-3]\"\n");
  CHECK(one_host.peers[2].name == "2");
  CHECK(one_host.peers[2].host == "node");
  CHECK(one_host.peers[2].launch.directory == "w3");

  const auto peer = [](const std::string& keys) { return refusal("family = \"ring\"\n[[peer]]\n" + keys); };
  CHECK(peer("name = \"n[1-3]\"\nhost = \"h[1-2]\"\n") ==
        "c.toml:4: peer.host = \"h[1-2]\": expected as many as peer.name has, 3, not 2");
  CHECK(peer("name = \"n[3-1]\"\n") ==
        "c.toml:3: peer.name = \"n[3-1]\": expected a range that runs upwards, [1-3]");
  CHECK(contains(peer("name = \"n\"\nhost = \"h[1-2]\"\n"), "expected a name of its own for each peer"));
  CHECK(contains(peer("host = \"h[1-2]\"\naddress = \"tcp://h:1\"\n"), "has the address tcp://h:1 of peer"));
  CHECK(
      contains(peer("address = \"tcp://h:[65535-65536]\"\n"), "tcp://h:65536\": expected \"tcp://HOST:PORT"));
}

TEST_CASE("cluster file: written anew, peers in a row are one table with ranges again") {
  const std::string text = R"(family = "ring"
weights = "metropolis"

[[peer]]
name = "n[08-10]"
address = "tcp://10.0.0.[1-3]:[7000-7002]"
host = "user@node[08-10]"

[[peer]]
name = "n11"
address = "tcp://10.0.0.4:7000"
host = "node1"

[[peer]]
name = "0x[9-10]"
address = "tcp://[fe80::[4-5]]:7000"
host = "node1"
directory = "w/[1-2]/x"
)";
  CHECK(to_toml(parse(text)) == text);
  // Steps other than one, other widths and numbers of too many digits do not make a row.
  for (const std::string names :
       {"a1 a3", "a01 a2", "a9 a010", "a1 b2", "a1 a2b", "a999999999 a1000000000", "a a1"}) {
    CAPTURE(names);
    const std::size_t blank = names.find(' ');
    const NamedTopology cluster = parse("family = \"ring\"\n[[peer]]\nname = \"" + names.substr(0, blank) +
                                        "\"\n[[peer]]\nname = \"" + names.substr(blank + 1) + "\"\n");
    CHECK(!contains(to_toml(cluster), "-"));
    CHECK(parse(to_toml(cluster)).peers == cluster.peers);
  }
}

TEST_CASE("cluster file: a few lines cannot name more peers or links than a machine holds") {
  std::string many;
  for (int table = 0; table < 11; ++table)
    many += "[[peer]]\nname = \"" + std::to_string(table) + "-[1-10000]\"\n";
  CHECK(contains(refusal(many), "at most 100000 peers can be listed"));
  const std::string crowd = "[[peer]]\nname = \"n[1-2000]\"\n[[link]]\nfrom = \"*\"\nto = \"*\"\n";
  CHECK(contains(refusal(crowd), "link.from = \"*\": expected at most 1000000 pairs of peers in one table"));
}

TEST_CASE("cluster file: a link's ends may be ranges, which step together, and patterns") {
  const std::string peers = "[[peer]]\nname = \"n[1-4]\"\n[[peer]]\nname = \"hub\"\n";
  const auto link = [](const std::string& from, const std::string& to) {
    return "[[link]]\nfrom = \"" + from + "\"\nto = \"" + to + "\"\n";
  };
  CHECK(parse(peers + link("n[1-3]", "n[2-4]") + link("n4", "hub")).graph.edges() ==
        std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}, {3, 4}});
  CHECK(parse(peers + link("hub", "*")).graph.edges() == std::vector<Edge>{{0, 4}, {1, 4}, {2, 4}, {3, 4}});
  for (const std::string all : {"n*", "*n*", "n**", "**n*"})
    CHECK(parse(peers + link(all, "hub")).graph.edges().size() == 4);
  const std::string line = link("n[1-3]", "n[2-4]");
  CHECK(parse(peers + line + link("*1", "hub")).graph.edges()[1] == Edge{0, 4});
  CHECK(parse(peers + line + link("h*b", "n4")).graph.edges().back() == Edge{3, 4});
  CHECK(parse(peers + link("*", "*")).graph.edges().size() == 10);
  CHECK(parse(peers + link("n[1,2]", "*")).graph.edges().size() == 7);
  CHECK(contains(refusal(peers + link("n[1-3]", "n[2-3]")),
                 "link.to = \"n[2-3]\": expected as many peers as link.from names, 3, not 2"));
  CHECK(contains(refusal(peers + link("n[1-3]", "n[3-5]")), "a peer's name, did you mean \"n"));
  CHECK(contains(refusal(peers + link("x*", "hub")), "link.from = \"x*\": expected a pattern that fits"));
  CHECK(contains(refusal(peers + link("h*", "hub")), "expected another peer than link.from"));
  CHECK(contains(refusal(peers + link("n[1-2]", "n[1-2]")), "expected another peer than link.from"));
  CHECK(contains(refusal(peers + link("hub", "*") + link("n1", "hub")), "was already given at c.toml:5"));
}

TEST_CASE("cluster file: written anew, $HOME stays $HOME, and a relative path is spelled from the root") {
  REQUIRE(getenv("HOME") != nullptr);
  const std::string text =
      "family = \"ring\"\n[launch]\nssh_key = \"$HOME/.ssh/cluster\"\nssh_config = \"ssh_config\"\n"
      "[[peer]]\nhost = \"a\"\n[[peer]]\nhost = \"b\"\n";
  const NamedTopology cluster = parse(text);
  CHECK(cluster.peers[0].launch.ssh_key.file == std::string(getenv("HOME")) + "/.ssh/cluster");
  const std::string written = to_toml(cluster);
  CHECK(contains(written, "ssh_key = \"$HOME/.ssh/cluster\""));
  CHECK(contains(written, "ssh_config = \"" + cluster.peers[0].launch.ssh_config.file.string() + "\""));
  CHECK(parse(written).peers == cluster.peers);
}

TEST_CASE("cluster file: [launch] says how hosts are reached, and a peer may say so for itself") {
  const std::string text = R"(
family = "ring"
[launch]
user = "trainer"
ssh_port = 2222
ssh_key = "/keys/a $$ b"
ssh_config = "/etc/ours"
program = "/opt/a 'b\" c/hearsay"
directory = "~/runs"
[[peer]]
host = "node1"
[[peer]]
host = "other@node2"
ssh_port = 22
directory = "~"
program = "hearsay"
)";
  const NamedTopology cluster = parse(text);
  const LaunchSettings common{
      "trainer", 2222, {"/keys/a $ b", ""}, {"/etc/ours", ""}, "/opt/a 'b\" c/hearsay", "runs"};
  CHECK(cluster.peers[0].launch == common);
  CHECK(cluster.peers[1].launch ==
        LaunchSettings{"trainer", 22, {"/keys/a $ b", ""}, {"/etc/ours", ""}, "hearsay", "."});
  CHECK(parse(to_toml(cluster)).peers == cluster.peers);

  const auto peer = [](const std::string& key) {
    return refusal("peers = 1\n[launch]\n" + key + "\n[[peer]]\n");
  };
  CHECK(contains(peer("usr = \"a\""), "launch.usr: unknown key, did you mean launch.user?"));
  CHECK(contains(peer("ssh_port = 0"), "c.toml:3: launch.ssh_port = 0: expected a whole number >= 1"));
  CHECK(contains(peer("user = \"-l\""), "launch.user = \"-l\": expected a user's name"));
  CHECK(contains(peer("program = \"a\\nb\""), "launch.program = \"a\\nb\": expected one line"));
  for (const std::string host : {"-oProxyCommand=x", "a b", "a@", "a\\n"})
    CHECK(contains(refusal("[[peer]]\nhost = \"" + host + "\"\n"), "expected \"HOST\" or \"USER@HOST\""));
}

}  // namespace hearsay::ranges_test

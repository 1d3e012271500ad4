// Graphs as other programs write them, as topology files.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "runtime/cluster/topology_file.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace hearsay::graph_files_test {

namespace {

std::vector<std::string> names_of(const NamedTopology& topology) {
  std::vector<std::string> names;
  for (const NamedPeer& peer : topology.peers) names.push_back(peer.name);
  return names;
}

}  // namespace

TEST_CASE(
    "topology file: of the 261 networks of the Internet Topology Zoo 243 are read and 18 are not connected") {
  const char* const data = std::getenv("HEARSAY_DATA_DIR");
  if (data == nullptr) {
    MESSAGE("skipped: the Internet Topology Zoo (HEARSAY_DATA_DIR is not set)");
    return;
  }
  const std::filesystem::path archive = std::filesystem::path(data) / "topology-zoo.tar.xz";
  if (!std::filesystem::exists(archive)) {
    MESSAGE("skipped: the Internet Topology Zoo (there is no " << archive.string() << ")");
    return;
  }
  if (std::system("xz --version > /dev/null 2>&1") != 0) {
    MESSAGE("skipped: the Internet Topology Zoo (there is no xz to unpack it)");
    return;
  }
  const TemporaryFolder folder("hearsay_topology_zoo");
  const std::string command = "tar -xJf '" + archive.string() + "' -C '" + folder.path().string() + "'";
  REQUIRE(std::system(command.c_str()) == 0);
  std::map<std::string, std::size_t> outcomes;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    if (!entry.is_regular_file()) continue;
    const std::string refused = misuse_text([&] { load_topology_file(entry.path(), 1); });
    const bool cut_off = contains(refused, "the graph is not connected: no link leads from ") &&
                         contains(refused, " --largest-component --write new.toml`");
    const std::string outcome = refused.empty() ? "read" : cut_off ? "not connected" : refused;
    ++outcomes[outcome];
    if (cut_off)
      CHECK(misuse_text([&] {
              load_topology_file(entry.path(), 1, "auto", GraphMending{.largest_component = true});
            }) == "");
  }
  CHECK(outcomes == std::map<std::string, std::size_t>{{"read", 243}, {"not connected", 18}});
}

TEST_CASE("topology file: who is cut off is named, and can be left out") {
  const TemporaryFolder folder("hearsay_cut_off");
  const auto file =
      folder.write("c.dot", "graph { a -- b; b -- c; d -- e; f; g; h; i; c -- j [latency=\"5 ms\"] }");
  CHECK(misuse_text([&] { load_topology_file(file, 1); }) ==
        file.string() +
            ": the graph is not connected: no link leads from d, e, f, g, h and i to the other 4 of "
            "10 peers; add links, or leave out who is cut off: `hearsay topology " +
            file.string() + " --largest-component --write new.toml`");
  const NamedTopology kept = load_topology_file(file, 1, "auto", GraphMending{.largest_component = true});
  CHECK(names_of(kept) == std::vector<std::string>{"a", "b", "c", "j"});
  CHECK(kept.graph.edges() == std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}});
  REQUIRE(kept.links.size() == 2);
  CHECK(kept.links[0].from == 2);
  CHECK(kept.notices ==
        std::vector<std::string>{
            "6 of 10 peers left out, since no link leads to the others: d, e, f, g, h and i"});
  std::string islands = "graph { a -- b;";
  for (int k = 1; k <= 25; ++k) islands += " i" + std::to_string(k) + ";";
  CHECK(contains(misuse_text([&] { load_topology_file(folder.write("i.dot", islands + "}"), 1); }),
                 ", i19, i20 and 5 more to the other 2 of 27 peers"));
  const auto toml = folder.write("c.toml",
                                 "[[peer]]\nname = \"a\"\n[[peer]]\nname = \"b\"\n[[peer]]\nname = \"c\"\n"
                                 "[[link]]\nfrom = \"b\"\nto = \"c\"\n");
  CHECK(contains(misuse_text([&] { load_topology_file(toml, 1); }),
                 "no link leads from a to the other 2 of 3 peers"));
  CHECK(names_of(load_topology_file(toml, 1, "auto", GraphMending{.largest_component = true})) ==
        std::vector<std::string>{"b", "c"});
}

TEST_CASE("topology file: merged links add bandwidth, opposite arcs keep the smaller one") {
  const TemporaryFolder folder("hearsay_merged");
  const auto parallel =
      folder.write("p.dot",
                   "graph { a -- b [weight=0.2, bandwidth=\"1 Mbit/s\", latency=\"5 ms\"]; "
                   "b -- a [weight=0.1, bandwidth=\"2 Mbit/s\", latency=\"3 ms\"]; b -- c [weight=0.25] }");
  const NamedTopology merged = load_topology_file(parallel, 1, "explicit", GraphMending{.merge_links = true});
  CHECK(merged.mixing.row(0).self_weight == doctest::Approx(0.7));
  REQUIRE(merged.links.size() == 2);
  CHECK(to_text(*merged.links[0].bandwidth) == "3 Mbit/s");
  CHECK(to_text(*merged.links[0].latency) == "3 ms");
  const auto opposite =
      folder.write("o.dot",
                   "digraph { a -> b [weight=0.2, bandwidth=\"1 Mbit/s\", latency=\"5 ms\"]; "
                   "b -> a [weight=0.1, bandwidth=\"2 Mbit/s\", latency=\"3 ms\"]; b -> c [weight=0.25] }");
  const NamedTopology folded = load_topology_file(opposite, 1, "explicit", GraphMending{.undirected = true});
  CHECK(folded.mixing.row(0).self_weight == doctest::Approx(0.85));
  CHECK(to_text(*folded.links[0].bandwidth) == "1 Mbit/s");
  CHECK(to_text(*folded.links[0].latency) == "5 ms");
}

TEST_CASE("topology file: self links are checked where weights are explicit, and left out elsewhere") {
  const TemporaryFolder folder("hearsay_self_links");
  const auto file =
      folder.write("s.dot", "graph { a -- b [weight=0.25]; b -- c [weight=0.25]; b -- b [weight=0.4] }");
  CHECK(misuse_text([&] { load_topology_file(file, 1, "explicit"); }) ==
        file.string() +
            ": link b - b: weight = 0.4: expected 0.5, what the other links of the peer leave of 1");
  CHECK(load_topology_file(file, 1).notices.size() == 1);
}

TEST_CASE("topology file: one graph in every format is the same graph") {
  const TemporaryFolder folder("hearsay_formats");
  const std::vector<std::filesystem::path> files = {
      folder.write(
          "n.GRAPHML",
          "<ns0:graphml xmlns:ns0=\"http://graphml.graphdrawing.org/xmlns\"><ns0:key id=\"name\" "
          "for=\"node\" attr.name=\"name\"/><ns0:key id=\"l\" for=\"edge\" attr.name=\"latency\"/>"
          "<ns0:graph edgedefault=\"undirected\"><ns0:node id=\"n0\"><ns0:data key=\"name\">Ulm"
          "</ns0:data></ns0:node><ns0:node id=\"n1\"><ns0:data key=\"name\">Bonn</ns0:data></ns0:node>"
          "<ns0:node id=\"n2\"><ns0:data key=\"name\">K\u00f6ln</ns0:data></ns0:node><ns0:edge "
          "source=\"n0\" target=\"n1\"><ns0:data key=\"l\">5 ms</ns0:data></ns0:edge><ns0:edge "
          "source=\"n1\" target=\"n2\"/></ns0:graph></ns0:graphml>"),
      folder.write(
          "n.gexf",
          "<gexf version=\"1.2\"><graph defaultedgetype=\"undirected\"><attributes class=\"edge\">"
          "<attribute id=\"0\" title=\"latency\" type=\"string\"/></attributes><nodes>"
          "<node id=\"0\" label=\"Ulm\"/><node id=\"1\" label=\"Bonn\"/>"
          "<node id=\"2\" label=\"K\u00f6ln\"/></nodes><edges><edge id=\"0\" source=\"0\" target=\"1\">"
          "<attvalues><attvalue for=\"0\" value=\"5 ms\"/></attvalues></edge>"
          "<edge id=\"1\" source=\"1\" target=\"2\"/></edges></graph></gexf>"),
      folder.write(
          "n.gml",
          "Creator \"me\"\n# a comment\ngraph [\n  node [ id 0 label \"Ulm\" ]\n  node [ id 1 label "
          "\"Bonn\" graphics [ x 1.5 ] ]\n  node [ id 2 label \"K&#246;ln\" ]\n  edge [ source 0 target "
          "1 latency \"5 ms\" ]\n  edge [ source 1 target 2 ]\n]\n"),
      folder.write(
          "n.json",
          "{\"directed\": false, \"multigraph\": false, \"graph\": {}, \"nodes\": [{\"id\": 0, "
          "\"name\": \"Ulm\"}, {\"id\": 1, \"name\": \"Bonn\"}, {\"id\": 2, \"name\": \"K\\u00f6ln\"}], "
          "\"edges\": [{\"source\": 0, \"target\": 1, \"latency\": \"5 ms\"}, {\"source\": 1, "
          "\"target\": 2, \"latency\": null}]}"),
      folder.write(
          "n.gv",
          "graph { 0 [label=Ulm]; 1 [label=Bonn]; 2 [label=K\u00f6ln]; 0 -- 1 [latency=\"5 ms\"] 1 -- 2 }"),
  };
  for (const std::filesystem::path& file : files) {
    CAPTURE(file.string());
    const NamedTopology topology = load_topology_file(file, 1);
    CHECK(names_of(topology) == std::vector<std::string>{"Ulm", "Bonn", "K\u00f6ln"});
    CHECK(topology.graph.edges() == std::vector<Edge>{{0, 1}, {1, 2}});
    REQUIRE(topology.links.size() == 2);
    CHECK(to_text(*topology.links[0].latency) == "5 ms");
    CHECK(topology.notices.empty());
  }
}

TEST_CASE("topology file: an edge list has a link a line, with a weight or with attributes of networkx") {
  const TemporaryFolder folder("hearsay_edge_list");
  const auto edges_of = [&](const std::string& text) {
    return load_topology_file(folder.write("n.edgelist", text), 1).graph.edges();
  };
  const std::vector<Edge> path = {{0, 1}, {1, 2}};
  for (const std::string text :
       {"a b\nb c\n", "% head\n# head\n\na\tb\r\nb\tc\r\n", "a,b\nb,c",
        "a b {}\nb c {'weight': 0.5, 'latency': '5 ms'}\n", "a b 1\nb c 2.5\n", "a b\nb a\nb c\nc b\n"}) {
    CAPTURE(text);
    CHECK(edges_of(text) == path);
  }
  const auto refusal = [&](const std::string& text) { return misuse_text([&] { edges_of(text); }); };
  CHECK(contains(refusal("a b\nb\n"), "edge list, line 2: expected two peers"));
  CHECK(contains(refusal("(0, 0) (0, 1) {}\n"), "networkx.convert_node_labels_to_integers"));
  CHECK(contains(refusal("a b {'weight' 1}\n"), "edge list, line 1: expected {'name': value, ...}"));
  CHECK(contains(refusal("a b heavy\n"), "edge list, line 1: weight = heavy: expected a number"));
}

TEST_CASE("topology file: what is no topology in its format is refused with the formats or the place") {
  const TemporaryFolder folder("hearsay_no_topology");
  const auto refusal = [&](const std::string& name, const std::string& text) {
    const auto file = folder.write(name, text);
    const std::string refused = misuse_text([&] { load_topology_file(file, 1); });
    CHECK(refused.starts_with(file.string()));
    return refused;
  };
  CHECK(contains(
      refusal("a.net", "*Vertices 2\n1 \"a\"\n"),
      "a file whose name ends in none of .graphml .dot .gv .gexf .gml .json .edgelist .edges is read as "
      "TOML"));
  CHECK(contains(refusal("a.json", "{\"elements\": {}}"), "expected a graph in node-link form"));
  CHECK(contains(refusal("a.json", "{\"nodes\": [}"), "JSON, line 1: "));
  CHECK(contains(refusal("a.json", std::string(5000, '[')), "more than 1000 deep"));
  CHECK(contains(refusal("a.gml", "graph [ node [ id 0 ]"), "GML, line 1: expected ]"));
  CHECK(contains(refusal("a.gml", "graph [ ] graph [ ]"), "expected one graph"));
  std::string deep;
  for (int k = 0; k < 5000; ++k) deep += "a [ ";
  CHECK(contains(refusal("a.gml", deep), "more than 1000 deep"));
  CHECK(contains(refusal("a.gexf", "<graphml/>"), "expected a <gexf> document"));
  CHECK(contains(refusal("a.gexf", "<gexf><graph><nodes/></graph></gexf>"), "the graph has no nodes"));
}

TEST_CASE("topology file: places become a network of the run, if the run file says so") {
  const TemporaryFolder folder("hearsay_geo");
  TopologySettings topology;
  topology.file = folder.write(
      "zoo.gml",
      "graph [\n  directed 0\n  node [ id 0 label \"New York\" Longitude -74.00597 Latitude 40.71427 ]\n  "
      "node [ "
      "id 1 label \"Chicago\" Longitude -87.65005 Latitude 41.85003 ]\n  edge [ source 0 target 1 LinkSpeed "
      "\"10\" LinkNote \"c\" LinkLabel \"OC-192c\" LinkSpeedUnits \"G\" LinkSpeedRaw 10000000000.0 ]\n]\n");
  CHECK(make_named_topology(topology, 1).links.empty());
  topology.network_from = NetworkFrom::geo;
  const NamedTopology real = make_named_topology(topology, 1);
  REQUIRE(real.links.size() == 2);
  // 1,144.3 km in fibre, 5 us a km
  CHECK(seconds(*real.links[0].latency) == doctest::Approx(5.73e-3).epsilon(0.01));
  CHECK(to_text(*real.links[0].bandwidth) == "10 Gbit/s");
  topology.file = folder.write("written.toml", to_toml(real));
  CHECK(make_named_topology(topology, 1).links == real.links);
  topology.file.clear();
  CHECK(contains(misuse_text([&] { make_named_topology(topology, 1); }),
                 "topology.network_from = \"geo\": expected topology.file"));
}

}  // namespace hearsay::graph_files_test

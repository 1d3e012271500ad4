// What drawings of networks say about links: arrows, parallel links, links of a peer with itself.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/misuse_text.hpp"
#include "topology/interchange.hpp"

namespace drawn_links_test {

using hearsay::AnnotatedGraph;
using hearsay::contains;
using hearsay::Edge;
using hearsay::GraphMending;
using hearsay::misuse_text;
using hearsay::parse_dot;
using hearsay::parse_edge_list;
using hearsay::parse_gexf;
using hearsay::parse_gml;
using hearsay::parse_graphml;
using hearsay::parse_node_link;

namespace {

const std::vector<Edge> path_of_three = {{0, 1}, {1, 2}};

std::vector<std::string> names_of(const AnnotatedGraph& drawn) {
  std::vector<std::string> names;
  for (const auto& peer : drawn.peers) names.push_back(peer.name);
  return names;
}

std::string yed_node(const std::string& id, const std::string& label) {
  return "<node id='" + id + "'><data key='d6'><y:ShapeNode><y:NodeLabel>" + label +
         "<y:LabelModel/></y:NodeLabel></y:ShapeNode></data></node>";
}

std::string yed_edge(const std::string& from, const std::string& to, const std::string& source_arrow,
                     const std::string& target_arrow) {
  return "<edge source='" + from + "' target='" + to + "'><data key='d9'><y:PolyLineEdge><y:Arrows source='" +
         source_arrow + "' target='" + target_arrow + "'/></y:PolyLineEdge></data></edge>";
}

std::string yed(const std::string& inside) {
  return "<graphml xmlns:y='http://www.yworks.com/xml/graphml'><key for='node' id='d6' "
         "yfiles.type='nodegraphics'/><key for='edge' id='d9' yfiles.type='edgegraphics'/><graph id='G' "
         "edgedefault='directed'>" +
         inside + "</graph></graphml>";
}

}  // namespace

TEST_CASE("drawn links: a directed file in which no arc has its opposite is a file of links, which is said") {
  const AnnotatedGraph drawn = parse_dot("digraph { a -> b; c -> b }");
  CHECK(drawn.graph.edges() == path_of_three);
  CHECK(drawn.notices ==
        std::vector<std::string>{"no arc has its opposite: 2 arcs taken as links that go both ways"});
  CHECK(parse_dot("digraph { a -> b; b -> a; c -> b; b -> c }").notices.empty());
  CHECK(parse_dot("graph { a -- b; c -- b }").notices.empty());
}

TEST_CASE("drawn links: arcs without arrow heads are links, beside arcs with their opposites, too") {
  const AnnotatedGraph drawn =
      parse_graphml(yed(yed_node("n0", "Roma") + yed_node("n1", "Milano") + yed_node("n2", "Bari") +
                        yed_edge("n0", "n1", "none", "none") + yed_edge("n1", "n2", "none", "standard") +
                        yed_edge("n1", "n2", "standard", "none")));
  CHECK(drawn.graph.edges() == path_of_three);
  CHECK(names_of(drawn) == std::vector<std::string>{"Roma", "Milano", "Bari"});
  CHECK(drawn.notices == std::vector<std::string>{"1 arc without arrow heads: links that go both ways"});
  CHECK(contains(misuse_text([] {
                   parse_graphml(yed(yed_node("n0", "Roma") + yed_node("n1", "Milano") +
                                     yed_node("n2", "Bari") + yed_edge("n0", "n1", "none", "delta") +
                                     yed_edge("n1", "n0", "none", "delta") +
                                     yed_edge("n1", "n2", "standard", "none")));
                 }),
                 "link Bari -> Milano has no opposite"));
}

TEST_CASE("drawn links: dir and arrow heads of DOT say which way an arc goes") {
  for (const std::string both : {"a -> b [dir=none]", "a -> b [dir=both]", "a -> b; a -> b [dir=back]",
                                 "a -> b [arrowhead=none]", "a -> b; b -> a", "edge [dir=none]; a -> b"}) {
    CAPTURE(both);
    CHECK(parse_dot("digraph { c -> d; d -> c; b -> c; c -> b; " + both + "}").graph.edges().size() == 3);
  }
  for (const std::string one : {"a -> b", "b -> a [dir=back]", "a -> b [dir=both, arrowtail=none]"}) {
    CAPTURE(one);
    CHECK(contains(misuse_text([&] { parse_dot("digraph { c -> b; b -> c; " + one + "}"); }),
                   "link a -> b has no opposite"));
  }
}

TEST_CASE(
    "drawn links: parallel links without attributes are one, and others name the command that mends them") {
  const AnnotatedGraph drawn = parse_dot("graph { a -- b; b -- a; a -- b; b -- c }");
  CHECK(drawn.graph.edges() == path_of_three);
  CHECK(drawn.notices ==
        std::vector<std::string>{"2 parallel links left out, for example a second link a - b"});
  const std::string text =
      "graph { a -- b [bandwidth=\"1 Mbit/s\"]; b -- a [bandwidth=\"2 Mbit/s\"]; c -- d }";
  CHECK(misuse_text([&] { parse_dot(text, GraphMending{.file = "my net.dot"}); }) ==
        "DOT: link b - a is there twice, with a weight, latency or bandwidth of its own; this command mends "
        "it: "
        "`hearsay topology 'my net.dot' --merge-links --largest-component --write new.toml`");
  const AnnotatedGraph merged = parse_dot(text, GraphMending{.merge_links = true});
  CHECK(merged.strands.at({0, 1}).there.size() == 2);
  CHECK(merged.strands.size() == 1);
}

TEST_CASE("drawn links: a link of a peer with itself is left out with a word, its weight is w_ii") {
  const AnnotatedGraph drawn = parse_dot("graph { a -- a; a -- b; b -- c; c -- c }");
  CHECK(drawn.graph.edges() == path_of_three);
  CHECK(drawn.notices ==
        std::vector<std::string>{"2 links of a peer with itself left out, for example of a"});
  const auto with_self = [](const std::string& weight) {
    return "graph { edge [weight=0.25]; a -- b; b -- c; b -- b [weight=" + weight + "] }";
  };
  CHECK(parse_dot(with_self("0.5")).self_weights.at(1) == 0.5);
  const std::string twice = with_self("0.25]; b -- b [weight=0.25");
  CHECK(contains(misuse_text([&] { parse_dot(twice); }), "link b - b is there twice"));
  CHECK(parse_dot(twice, GraphMending{.merge_links = true}).self_weights.at(1) == 0.5);
}

TEST_CASE("drawn links: a label that several peers have gets their ids, and none can be read as a range") {
  CHECK(names_of(parse_graphml(yed(yed_node("n0", "Ulm") + yed_node("n1", "Ulm") + yed_node("n2", "") +
                                   yed_node("n3", " rack\n [1-3] ") + yed_node("n4", "Ulm (n0)")))) ==
        std::vector<std::string>{"Ulm (2)", "Ulm (n1)", "n2", "rack (1-3)", "Ulm (n0)"});
  CHECK(names_of(parse_dot("graph { 0 [label=B]; 1 [label=A]; 0 -- 1 }")) ==
        std::vector<std::string>{"B", "A"});
  CHECK(names_of(parse_dot("graph { 0 [label=B]; 1; 0 -- 1 }")) == std::vector<std::string>{"0", "1"});
  CHECK(names_of(parse_dot("graph { \"K\xf6ln\" -- b }")) == std::vector<std::string>{"K\u00f6ln", "b"});
}

TEST_CASE("drawn links: peers whose names are not in order keep their numbers when they are written") {
  const AnnotatedGraph drawn = parse_dot(
      "graph { 0 [label=\"Ulm\"]; 1 [label=\"Bonn\"]; 2 [label=\"Ahl\"]; "
      "0 -- 1 [weight=0.5]; 1 -- 2 }");
  for (const AnnotatedGraph& again : {parse_dot(to_dot(drawn)), parse_graphml(to_graphml(drawn))}) {
    CHECK(again.peers == drawn.peers);
    CHECK(again.graph.edges() == drawn.graph.edges());
    CHECK(again.links == drawn.links);
  }
}

TEST_CASE("drawn links: places and speeds give a network, if it is asked for") {
  const std::string text =
      "graph { Berlin [Latitude=52.52, Longitude=13.405]; Paris [Latitude=\" 48.8566 \", Longitude=2.3522]; "
      "Nowhere; Berlin -- Paris [LinkSpeedRaw=10000000000.0]; Paris -- Nowhere }";
  const AnnotatedGraph plain = parse_dot(text);
  CHECK(plain.links[0] == hearsay::LinkNotes{});
  const AnnotatedGraph drawn = parse_dot(text, GraphMending{.network_from_geo = true});
  // 877.5 km at 199,861.6 km/s
  CHECK(drawn.links[0].latency == "4.390 ms");
  CHECK(drawn.links[0].bandwidth == "10000000000 bit/s");
  CHECK(drawn.links[1] == hearsay::LinkNotes{});
  REQUIRE(drawn.notices.size() == 2);
  CHECK(contains(drawn.notices[0], "1 of 2 links have no latency"));
  CHECK(contains(misuse_text([] { parse_dot("graph { a -- b }", GraphMending{.network_from_geo = true}); }),
                 "there is no network in it; expected peers with Latitude and Longitude"));
  CHECK(contains(misuse_text([] {
                   parse_dot("graph { a [Latitude=91, Longitude=0]; a -- b }",
                             GraphMending{.network_from_geo = true});
                 }),
                 "peer a: Latitude = 91: expected degrees from -90 to 90"));
}

TEST_CASE("node-link: both links and edges are read if they are the same, and else refused") {
  const std::string nodes = R"({"nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}], )";
  const std::string two = R"([{"source": "a", "target": "b"}, {"source": "b", "target": "c"}])";
  const std::string others = R"([{"source": "a", "target": "c"}])";
  CHECK(parse_node_link(nodes + "\"links\": " + two + ", \"edges\": " + two + "}").graph.edges() ==
        path_of_three);
  CHECK(misuse_text([&] { parse_node_link(nodes + "\"links\": " + two + ", \"edges\": " + others + "}"); }) ==
        "JSON: there are \"links\" and \"edges\", and they differ; expected one of them");
}

TEST_CASE("node-link: nodes may be plain names, and the ends of a link nodes, as in d3") {
  CHECK(names_of(parse_node_link(R"({"nodes": ["x", "y"], "links": [{"source": "x", "target": "y"}]})")) ==
        std::vector<std::string>{"x", "y"});
  CHECK(parse_node_link(R"({"nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}], "links": [
          {"source": {"id": "a"}, "target": {"id": "b", "x": 1}}, {"source": "b", "target": {"id": "c"}}]})")
            .graph.edges() == path_of_three);
  CHECK(contains(misuse_text([] {
                   parse_node_link(
                       R"({"nodes": [{"id": "a"}], "links": [{"source": {"name": "a"}, "target": "a"}]})");
                 }),
                 "JSON: the \"source\" of a link is an object without \"id\""));
}

TEST_CASE("drawn links: an end that a link lacks is named") {
  CHECK(misuse_text([] {
          parse_node_link(R"({"nodes": [{"id": "a"}, {"id": "b"}], "edges": [{"from": "a", "to": "b"}]})");
        }) == "JSON: a link has \"from\" or \"to\"; expected \"source\" and \"target\"");
  CHECK(misuse_text([] { parse_node_link(R"({"nodes": [{"id": "a"}], "links": [{}]})"); }) ==
        "JSON: link 1 has no source and no target");
  const std::string nodes = "<node id='a'/><node id='b'/><edge source='a' target='b'/>";
  const auto graphml = [&](const std::string& rest) {
    return misuse_text([&] { parse_graphml("<graphml><graph>" + nodes + rest + "</graph></graphml>"); });
  };
  CHECK(graphml("<edge source='a'/>") == "GraphML: link 2 has no target; its source is a");
  CHECK(graphml("<edge target='b'/>") == "GraphML: link 2 has no source; its target is b");
  CHECK(graphml("<node/>") == "GraphML: a node has no id");
  CHECK(misuse_text([] { parse_gml("graph [ node [ label 1 ] ]"); }) == "GML: a node has no id");
  CHECK(misuse_text([] { parse_gexf("<gexf><graph><nodes><node/></nodes></graph></gexf>"); }) ==
        "GEXF: a node has no id");
  CHECK(parse_dot("graph { \"\" -- b }").graph.peer_count() == 2);  // an empty name is a name
  CHECK(misuse_text([] { parse_gml("graph [ node [ id 1 ] edge [ source 1 ] ]"); }) ==
        "GML: link 1 has no target; its source is 1");
  CHECK(misuse_text([] {
          parse_gexf(
              "<gexf><graph><nodes><node id='a'/></nodes><edges><edge target='a'/>"
              "</edges></graph></gexf>");
        }) == "GEXF: link 1 has no source; its target is a");
}

TEST_CASE("edge list: a comment may stand behind an edge") {
  CHECK(parse_edge_list("a b # friend of c\nb c 0.5 #x\n").graph.edges() == path_of_three);
  CHECK(parse_edge_list("a b {'weight': 0.5} # first\nb\tc\t# second\n").links[0].weight == 0.5);
  CHECK(names_of(parse_edge_list("a#1 b#2\nb#2 c#3\n")) == std::vector<std::string>{"a#1", "b#2", "c#3"});
  CHECK(names_of(parse_edge_list("a #b\n")) == std::vector<std::string>{"#b", "a"});
}

TEST_CASE("gml: a number may have a plus sign") {
  CHECK(parse_gml("graph [ node [ id +1 ] node [ id 2 ] node [ id +3 ] edge [ source 1 target +2 ] "
                  "edge [ source +2 target 3 weight +0.5 ] edge [ source +1 target 3 weight +0.25 ] ]")
            .links[2]
            .weight == 0.5);
}

TEST_CASE("drawn links: a speed of 0 is no bandwidth, which is said") {
  const AnnotatedGraph drawn = parse_dot("graph { a -- b [LinkSpeedRaw=0]; b -- c [LinkSpeedRaw=5] }",
                                         GraphMending{.network_from_geo = true});
  CHECK(
      contains(drawn.notices.back(), "1 of 2 links have no bandwidth, since LinkSpeedRaw is absent or is 0"));
}

}  // namespace drawn_links_test

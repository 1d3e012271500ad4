#include "topology/interchange.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/misuse_text.hpp"
#include "topology/families.hpp"

namespace interchange_test {

using hearsay::AnnotatedGraph;
using hearsay::contains;
using hearsay::Edge;
using hearsay::make_graph;
using hearsay::misuse_text;
using hearsay::MixingMatrix;
using hearsay::parse_dot;
using hearsay::parse_graphml;

namespace {

void check_same(const AnnotatedGraph& a, const AnnotatedGraph& b) {
  CHECK(a.graph.edges() == b.graph.edges());
  CHECK(a.peers == b.peers);
  CHECK(a.links == b.links);
}

std::vector<std::string> names_of(const AnnotatedGraph& annotated) {
  std::vector<std::string> names;
  for (const auto& peer : annotated.peers) names.push_back(peer.name);
  return names;
}

std::string graphml(const std::string& inside, const std::string& edge_default = "undirected") {
  return "<?xml version='1.0' encoding='utf-8'?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
         "<key id=\"d1\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n"
         "<key id=\"d0\" for=\"node\" attr.name=\"address\" attr.type=\"string\"/>\n"
         "<graph edgedefault=\"" +
         edge_default + "\">" + inside + "</graph></graphml>";
}

}  // namespace

TEST_CASE("interchange: every family comes back from DOT and GraphML, weights to the last bit") {
  for (const char* spelling : {"ring", "star", "complete", "hypercube", "erdos-renyi(0.4)", "geometric(0.5)"})
    for (const char* weights : {"metropolis", "best-constant"}) {
      CAPTURE(spelling);
      const hearsay::Graph graph = make_graph(spelling, 16, 1);
      const MixingMatrix mixing = hearsay::make_mixing(weights, graph);
      const AnnotatedGraph drawn = hearsay::annotated(graph, &mixing);
      check_same(parse_dot(to_dot(drawn)), drawn);
      check_same(parse_graphml(to_graphml(drawn)), drawn);
    }
}

TEST_CASE("interchange: names, addresses and link attributes survive quoting") {
  AnnotatedGraph drawn =
      hearsay::annotated(make_graph("path", 3, 0), nullptr, {"a -- b", "say \"hi\"", "x<&>'y"});
  drawn.peers[1].address = "tcp://10.0.0.1:7000";
  drawn.links[0] = {0.25, "5 ms", "10 Mbit/s"};
  check_same(parse_dot(to_dot(drawn)), drawn);
  check_same(parse_graphml(to_graphml(drawn)), drawn);
  drawn.peers[1].name = "back\\slash";
  CHECK(contains(misuse_text([&] { to_dot(drawn); }), "backslash"));
}

TEST_CASE("interchange: a DOT file as Graphviz users write it is read as it is") {
  const AnnotatedGraph drawn = parse_dot(R"(# a preprocessor's line
    /* a drawing */
    graph "my net" {
      graph [rankdir=LR, label="net"];
      node [shape=circle, address="tcp://h:1"];
      edge [weight=0.25 latency="5 ms"];
      10 -- 9 -- 2;            // a chain
      subgraph cluster_x { edge [weight=0.125]; 2 -- 1 [color=red, pos="e,1,2 3,4"]; }
      1:ne -- 10:sw;
      9 [address="tcp://h:9", pos="27,18"];
    })");
  CHECK(names_of(drawn) == std::vector<std::string>{"1", "2", "9", "10"});
  CHECK(drawn.graph.edges() == std::vector<Edge>{{0, 1}, {0, 3}, {1, 2}, {2, 3}});
  CHECK(drawn.links[0].weight == 0.125);
  CHECK(drawn.links[1].weight == 0.25);
  CHECK(drawn.links[3].latency == "5 ms");
  CHECK(drawn.peers[2].address == "tcp://h:9");
  CHECK(drawn.peers[0].address == "tcp://h:1");
}

TEST_CASE("interchange: a directed drawing folds where both directions agree") {
  const AnnotatedGraph folded =
      parse_dot("digraph { b -> a [weight=0.5]; a -> b [weight=0.5]; c -> b; b -> c; }");
  CHECK(names_of(folded) == std::vector<std::string>{"a", "b", "c"});
  CHECK(folded.graph.edges() == std::vector<Edge>{{0, 1}, {1, 2}});
  CHECK(folded.links[0].weight == 0.5);
  CHECK_FALSE(folded.links[1].weight.has_value());
  CHECK(misuse_text([] { parse_dot("digraph { a -> b; b -> a; b -> c }"); }) ==
        "DOT: link b -> c has no opposite, while other arcs have; this command mends it: `hearsay topology "
        "FILE "
        "--undirected --write new.toml`");
  CHECK(misuse_text([] { parse_dot("digraph { a -> b [weight=1]; b -> a [weight=2]; }"); }) ==
        "DOT: link b -> a and its opposite differ in their attributes; this command mends it: `hearsay "
        "topology "
        "FILE --undirected --write new.toml`");
}

TEST_CASE("interchange: a GraphML file as networkx writes it is read as it is") {
  const AnnotatedGraph drawn = parse_graphml(graphml(R"(
    <node id="2"><data key="d0">tcp://h:2</data></node>
    <node id="10"/>
    <node id="1"/>
    <edge source="2" target="10"><data key="d1">0.5</data></edge>
    <edge source="1" target="2"/>)"));
  CHECK(names_of(drawn) == std::vector<std::string>{"1", "2", "10"});
  CHECK(drawn.graph.edges() == std::vector<Edge>{{0, 1}, {1, 2}});
  CHECK(drawn.links[1].weight == 0.5);
  CHECK_FALSE(drawn.links[0].weight.has_value());
  CHECK(drawn.peers[1].address == "tcp://h:2");
}

TEST_CASE("interchange: GraphML's defaults and per-edge directions count") {
  const AnnotatedGraph drawn = parse_graphml(
      "<graphml><key id='w' for='edge' attr.name='weight'><default>0.25</default></key>"
      "<key id='color' for='node' attr.name='color'><default>red</default></key>"
      "<graph edgedefault='directed'><node id='b'/><node id='a'/><node id='c'/>"
      "<edge source='a' target='b'/><edge source='b' target='a'/>"
      "<edge source='b' target='c' directed='false'><data key='w'>0.5</data></edge></graph></graphml>");
  CHECK(drawn.graph.edges() == std::vector<Edge>{{0, 1}, {1, 2}});
  CHECK(drawn.links[0].weight == 0.25);
  CHECK(drawn.links[1].weight == 0.5);
}

TEST_CASE("interchange: where lines break inside a GraphML value means nothing, in CDATA either") {
  const AnnotatedGraph drawn =
      parse_graphml(graphml("<node id='a'><data key='d0'><![CDATA[ tcp://h:1\n\n  x ]]></data></node>"));
  CHECK(drawn.peers[0].address == "tcp://h:1 x");
  CHECK(parse_graphml(to_graphml(drawn)).peers == drawn.peers);
}

TEST_CASE("interchange: names are numbered in natural order") {
  const AnnotatedGraph drawn = parse_dot(
      "graph { peer10; peer9; peer1; \"02\"; \"2\"; 1; a; ab; \"123456789012345678901234567890\"; }");
  CHECK(names_of(drawn) == std::vector<std::string>{"1", "02", "2", "123456789012345678901234567890", "a",
                                                    "ab", "peer1", "peer9", "peer10"});
}

TEST_CASE("interchange: what cannot be a topology is refused in a sentence") {
  const auto dot = [](const std::string& text) { return misuse_text([&] { parse_dot(text); }); };
  CHECK(dot("graph { }") == "DOT: the graph has no nodes");
  for (const std::string text :
       {"", "graph", "graph {", "graph { a -- }", "graph { a -> b }", "\"", "}{", "graph { a [",
        "graph { \"a", "graph { <a<b> }", "/*", "graph { a -- b [weight=] }", "graph { a } graph { b }",
        "graph { a -- b; x.y }"}) {
    CAPTURE(text);
    CHECK(contains(dot(text), "DOT, line 1: "));
  }

  CHECK(dot("graph " + std::string(200000, '{')) == "DOT: braces more than 1000 deep");

  const auto xml = [](const std::string& text) { return misuse_text([&] { parse_graphml(text); }); };
  CHECK(contains(xml(""), "GraphML"));
  std::string nested;
  for (int k = 0; k < 100000; ++k) nested += "<a>";
  CHECK(xml(nested) == "GraphML: elements more than 1000 deep");
  CHECK(contains(xml("<graphml><graph>"), "GraphML, line 1: "));
  CHECK(contains(xml("<gexf/>"), "expected a <graphml> document"));
  CHECK(contains(xml("<graphml/>"), "there is no <graph>"));
  CHECK(contains(xml("<graphml><graph/><graph/></graphml>"), "several <graph>"));
  CHECK(xml(graphml("")) == "GraphML: the graph has no nodes");
  CHECK(xml(graphml("<node id='a'/><node id='a'/>")) == "GraphML: node a is there twice");
  CHECK(xml(graphml("<node id='a'/><edge source='a' target='b'/>")) ==
        "GraphML: link a - b: there is no node b");
  CHECK(contains(xml(graphml("<node id='a'><graph/></node>")), "expected a flat graph"));
  CHECK(contains(xml(graphml("<node id='a'><data key='z'>1</data></node>")), "no <key> that declares it"));
  CHECK(contains(xml(graphml("<hyperedge/>")), "hyperedge"));
}

TEST_CASE("interchange: what only looks like an end does not hide how deep a file is nested") {
  const auto deep = [](const std::string& begin, const std::string& level) {
    std::string text = begin;
    for (int k = 0; k < 100'000; ++k) text += level;
    return text;
  };
  const std::string graphml = "<graphml><graph edgedefault=\"undirected\">";
  for (const std::string level : {"<a>", "<a>/>", "<a><!-- </ -->", "<a b=\"/>\">", "<a b='</'>",
                                  "<a><![CDATA[</a>]]>", "<a><?x </a> ?>"})
    CHECK(misuse_text([&] { parse_graphml(deep(graphml, level)); }) ==
          "GraphML: elements more than 1000 deep");
  CHECK(contains(misuse_text([&] { parse_graphml(deep(graphml, "<a><!DOCTYPE a [</a>]>")); }),
                 "declarations of its own"));
  for (const std::string level :
       {"{ ", "{ /*}*/ ", "{ \"}\" ", "{ \"\\\"}\" ", "{ // }\n", "{ a=<}> ", "{ a=<\"> ", "{ a=<{}> "})
    CHECK(misuse_text([&] { parse_dot(deep("graph { ", level)); }) == "DOT: braces more than 1000 deep");
}

TEST_CASE("interchange: many things side by side are not deep") {
  std::string graphml = "<?xml version='1.0'?><!DOCTYPE graphml><!-- <a> --><graphml><graph>";
  std::string dot = "graph { /* { */ ";
  for (int k = 0; k < 2000; ++k) {
    graphml += "<node id=\"" + std::to_string(k) + ">\"/><a b='<'><c/></a>";
    dot += std::to_string(k) + " [label=\"{\"]; subgraph { x } ";
  }
  CHECK(parse_graphml(graphml + "</graph></graphml>").graph.peer_count() == 2000);
  CHECK(parse_dot(dot + "}").graph.peer_count() == 2001);
}

TEST_CASE("dot: an edge to braces is an edge to every peer in them") {
  const auto edges_of = [](const std::string& body) {
    return parse_dot("graph { " + body + " }").graph.edges();
  };
  const auto star = edges_of("a -- b; a -- c; b -- c");
  for (const std::string body : {"a -- {b c}; b -- c", "a -- {b; c} b -- c", "a; {b c} -- a; b -- c",
                                 "a -- subgraph {b c}; b -- c", "a -- subgraph s {b c}; b -- c",
                                 "a -- subgraph \"s t\" {b c}; b -- c", "a -- /* { */ {b c} // {\n b -- c",
                                 "a [label=\"{\"]; a -- {b c} b -- c", "{rank=same; a} a -- {b c}; b -- c"}) {
    CAPTURE(body);
    CHECK(edges_of(body) == star);
  }
  CHECK(edges_of("{a b} -- {c d}").size() == 4);
}

TEST_CASE("dot: a subgraph without braces is refused, since its links would be lost") {
  CHECK(misuse_text([] { parse_dot("graph { subgraph s {b; c}; a -- subgraph s; b -- c; a -- b }"); }) ==
        "DOT: subgraph s has no braces; expected its peers in them, as in a -- {b c}");
}

}  // namespace interchange_test

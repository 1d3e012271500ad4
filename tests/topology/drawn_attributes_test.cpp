// What graph files say of peers and links: which attribute is which, once, in files of any line ends.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/support/misuse_text.hpp"
#include "topology/interchange.hpp"

namespace drawn_attributes_test {

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
using std::string;

namespace {

const std::vector<Edge> path_of_three = {{0, 1}, {1, 2}};

using Parse = AnnotatedGraph (*)(std::string_view, const GraphMending&);

struct File {
  string format;
  Parse parse;
  string text;
};

/// A path of a, b and c in every format; its first link has the attribute NAME = "5 ms", its first peer
/// PLACE = "1.5".
std::vector<File> files_with(const string& name, const string& place) {
  return {
      {"DOT", parse_dot,
       "graph {\n// a line\na [" + place + "=1.5];\na -- b [" + name + "=\"5 ms\"];\nb -- c\n}\n"},
      {"GraphML", parse_graphml,
       "<graphml>\n<key id='k' for='edge' attr.name='" + name + "'/><key id='p' for='node' attr.name='" +
           place +
           "'/>\n<graph edgedefault='undirected'><node id='a'><data key='p'>1.5</data></node><node id='b'/>"
           "<node id='c'/><edge source='a' target='b'><data key='k'>5 ms</data></edge>\n<edge source='b' "
           "target='c'/></graph></graphml>\n"},
      {"GEXF", parse_gexf,
       "<gexf><graph>\n<attributes class='edge'><attribute id='0' title='" + name +
           "'/></attributes><attributes class='node'><attribute id='0' title='" + place +
           "'/></attributes>\n<nodes><node id='a'><attvalues><attvalue for='0' "
           "value='1.5'/></attvalues></node>"
           "<node id='b'/><node id='c'/></nodes><edges><edge source='a' target='b'><attvalues><attvalue "
           "for='0' "
           "value='5 ms'/></attvalues></edge>\n<edge source='b' target='c'/></edges></graph></gexf>\n"},
      {"GML", parse_gml,
       "# a line\ngraph [\nnode [ id 1 label \"a\" " + place +
           " 1.5 ]\nnode [ id 2 label \"b\" ]\nnode [ id 3 label "
           "\"c\" ]\nedge [ source 1 target 2 " +
           name + " \"5 ms\" ]\n# another\nedge [ source 2 target 3 ]\n]\n"},
      {"JSON", parse_node_link,
       "{\"nodes\": [{\"id\": \"a\", \"" + place +
           "\": 1.5},\n{\"id\": \"b\"}, {\"id\": \"c\"}],\n\"links\": "
           "[{\"source\": \"a\", \"target\": \"b\", \"" +
           name +
           "\": \"5 ms\"},\n{\"source\": \"b\", \"target\": "
           "\"c\"}]}\n"},
      {"edge list", parse_edge_list, "# a line\na b {'" + name + "': '5 ms'}\nb c {}\n"},
  };
}

string with_line_ends(string text, const string& end) {
  string changed;
  for (const char letter : text) changed += letter == '\n' ? end : string(1, letter);
  return changed;
}

}  // namespace

TEST_CASE("graph files: our attributes are found however they are capitalized") {
  for (const string name : {"latency", "Latency", "LATENCY"})
    for (const File& file : files_with(name, "latitude")) {
      CAPTURE(file.format + ", " + name);
      const AnnotatedGraph drawn = file.parse(file.text, {});
      CHECK(drawn.graph.edges() == path_of_three);
      CHECK(drawn.links[0].latency == "5 ms");
      CHECK(drawn.links[1].latency.empty());
    }
  for (const string name : {"Bandwidth", "BANDWIDTH"})
    for (const File& file : files_with(name, "x"))
      CHECK(file.parse(file.text, {}).links[0].bandwidth == "5 ms");
  for (const File& file : files_with("x", "Address"))
    if (file.format != "edge list") CHECK(file.parse(file.text, {}).peers[0].address == "1.5");
  CHECK(parse_dot("graph { a -- b [Weight=0.5] }").links[0].weight == 0.5);
  CHECK(parse_dot("graph { edge [latency=\"1 s\"]; a -- b [Latency=\"2 s\"] }").links[0].latency == "2 s");
  CHECK(parse_graphml("<graphml><key id='k' for='edge' attr.name='Weight'><default>0.25</default></key>"
                      "<key id='l' for='node' attr.name='Label'/><graph><node id='n0'><data key='l'>a</data>"
                      "</node><node id='n1'/><edge source='n0' target='n1'/></graph></graphml>")
            .links[0]
            .weight == 0.25);
  const AnnotatedGraph placed = parse_node_link(
      "{\"nodes\": [{\"id\": 0, \"latitude\": 0, \"LONGITUDE\": 1}, {\"id\": 1, \"latitude\": 0, "
      "\"longitude\": 2}], \"links\": [{\"source\": 0, \"target\": 1, \"linkspeedraw\": 5}]}",
      GraphMending{.network_from_geo = true});
  CHECK(!placed.links[0].latency.empty());
  CHECK(placed.links[0].bandwidth == "5 bit/s");
}

TEST_CASE("graph files: CR LF and CR end lines as LF does") {
  for (const File& file : files_with("latency", "x"))
    for (const string end : {"\r\n", "\r"}) {
      CAPTURE(file.format + (end == "\r" ? ", CR" : ", CR LF"));
      const AnnotatedGraph drawn = file.parse(with_line_ends(file.text, end), {});
      CHECK(drawn.graph.edges() == path_of_three);
      CHECK(drawn.peers == file.parse(file.text, {}).peers);
      CHECK(drawn.links[0].latency == "5 ms");
    }
  for (const string end : {"\n", "\r\n", "\r"}) {
    const auto refusal = [&](Parse parse, const string& text) {
      return misuse_text([&] { parse(with_line_ends(text, end), {}); });
    };
    CHECK(contains(refusal(parse_edge_list, "a b\n\nc\n"), "edge list, line 3: "));
    CHECK(contains(refusal(parse_dot, "graph {\n# x\na -> b }"), "DOT, line 3: "));
    CHECK(contains(refusal(parse_gml, "graph [\n# x\n\"a\" ]"), "GML, line 3: "));
    CHECK(contains(refusal(parse_node_link, "{\n\n]"), "JSON, line 3: "));
    CHECK(contains(refusal(parse_graphml, "<graphml>\n\n<a></b>"), "GraphML, line 3: "));
  }
  CHECK(parse_dot("graph { \"a\\\r\nb\" -- \"c\\\rd\" }").peers[0].name == "ab");
}

TEST_CASE("graph files: only weights that are used are judged") {
  for (const string weight : {"NaN", "nan", "heavy", "inf", "1e400", "0,5"}) {
    CAPTURE(weight);
    const AnnotatedGraph drawn =
        parse_dot("graph { a -- b [weight=0.5]; b -- c [weight=\"" + weight + "\"] }");
    CHECK(drawn.graph.edges() == path_of_three);
    CHECK(misuse_text([&] { require_number(drawn.links[1], "link b - c"); }) ==
          "link b - c: weight = " + weight + ": expected a number");
  }
  const AnnotatedGraph graphml = parse_graphml(
      "<graphml><key id='w' for='edge' attr.name='weight' "
      "attr.type='double'><default>NaN</default></key><graph>"
      "<node id='a'/><node id='b'/><node id='c'/><edge source='a' target='b'><data key='w'>2</data></edge>"
      "<edge source='b' target='c'/></graph></graphml>");
  CHECK(graphml.graph.edges() == path_of_three);
  CHECK(parse_edge_list("a b 0.5\nb c NaN\n").graph.edges() == path_of_three);
  // A word in the place of a weight makes no difference between links.
  CHECK(parse_dot("graph { a -- b [weight=NaN]; a -- b; b -- c [weight=NaN] }").strands.empty());
  CHECK(parse_dot("digraph { a -> b [weight=NaN]; b -> a [weight=nan] }").strands.empty());
}

TEST_CASE("json: numbers that are none, as Python writes them, are read, and refused where they are used") {
  const auto drawn = [](const string& number) {
    return parse_node_link(
        "{\"graph\": {\"NaN\": \"a \\\"NaN\\\" \\\\\"}, \"nodes\": [{\"id\": \"a NaN\", \"x\": " + number +
        "}, {\"id\": \"b\", \"x\": [" + number +
        ", 2]}, {\"id\": \"c\", \"x\": -1}],\n\"links\": "
        "[{\"source\": \"a NaN\", \"target\": \"b\", \"weight\": " +
        number + "}, {\"source\": \"b\", \"target\": \"c\", \"weight\":" + number + "}]}");
  };
  for (const string number : {"NaN", "Infinity", "-Infinity"}) {
    CAPTURE(number);
    CHECK(drawn(number).graph.edges() == path_of_three);
    CHECK(drawn(number).peers[0].name == "a NaN");
    CHECK(misuse_text([&] { require_number(drawn(number).links[0], "link a NaN - b"); }) ==
          "link a NaN - b: weight = " + number + ": expected a number");
  }
  CHECK(contains(misuse_text([&] { drawn("Inf"); }), "JSON, line 1: "));
}

TEST_CASE("json: a key that is there twice in one object is refused") {
  const auto refusal = [](const string& nodes, const string& link, const string& rest = "") {
    return misuse_text([&] {
      parse_node_link("{\"nodes\": [{" + nodes + "}, {\"id\": \"b\"}], \"links\": [{" + link + "}]" + rest +
                      "}");
    });
  };
  const string node = "\"id\": \"a\"";
  const string link = "\"source\": \"a\", \"target\": \"b\"";
  CHECK(refusal(node, link) == "");
  CHECK(refusal(node + ", \"color\": 1, \"color\": 2", link) == "");
  CHECK(refusal(node, link, ", \"nodes\": [{\"id\": \"c\"}]") ==
        "JSON: \"nodes\" is there twice in one object; expected it once");
  for (const string key : {"links", "directed"})
    CHECK(contains(refusal(node, link, ", \"directed\": false, \"" + key + "\": true"),
                   "JSON: \"" + key + "\" is there twice in one object"));
  for (const string key : {"label", "name", "address", "Latitude", "Longitude"})
    CHECK(contains(refusal(node + ", \"" + key + "\": 1, \"" + key + "\": 2", link),
                   "\"" + key + "\" is there twice"));
  CHECK(contains(refusal(node + ", \"id\": \"c\"", link), "\"id\" is there twice"));
  for (const string key : {"source", "target", "weight", "latency", "bandwidth", "LinkSpeedRaw"})
    CHECK(contains(refusal(node, link + ", \"" + key + "\": 1, \"" + key + "\": 2"),
                   "\"" + key + "\" is there twice"));
  CHECK(contains(refusal(node, link + ", \"weight\": 1, \"weight\": 2"), "\"weight\" is there twice"));
}

TEST_CASE(
    "graph files: an attribute that is there twice is refused in every format whose readers disagree on it") {
  const auto gml = [](const string& edge) {
    return misuse_text(
        [&] { parse_gml("graph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 " + edge + " ] ]"); });
  };
  CHECK(gml("weight 0.5 color 1 color 2") == "");
  CHECK(gml("weight 0.5 weight 0.25") == "GML: weight is there twice in one edge; expected it once");
  CHECK(gml("target 1") == "GML: target is there twice in one edge; expected it once");
  const auto graphml = [](const string& data) {
    return misuse_text([&] {
      parse_graphml(
          "<graphml><key id='w' for='edge' attr.name='weight'/><key id='W' for='edge' "
          "attr.name='Weight'/><key id='c' for='edge' attr.name='c'/><graph><node id='a'/><node id='b'/>"
          "<edge source='a' target='b'>" +
          data + "</edge></graph></graphml>");
    });
  };
  CHECK(graphml("<data key='w'>1</data><data key='c'>1</data><data key='c'>2</data>") == "");
  CHECK(graphml("<data key='w'>1</data><data key='w'>2</data>") ==
        "GraphML: weight is there twice in one edge; expected it once");
  CHECK(misuse_text([] { parse_edge_list("a b {'weight': 1, 'weight': 2}"); }) ==
        "edge list, line 1: weight is there twice; expected it once");
}

TEST_CASE("graph files: a name in our spelling goes before a column of that name in other capitals") {
  const auto check = [](const AnnotatedGraph& drawn) {
    CHECK(drawn.peers[0].name == "Alpha");
    CHECK(drawn.links[0].weight == 0.25);
  };
  check(parse_gexf(
      "<gexf><graph><attributes class='node'><attribute id='0' title='Label'/></attributes>"
      "<attributes class='edge'><attribute id='0' title='Weight'/></attributes>"
      "<nodes><node id='a' label='Alpha'><attvalues><attvalue for='0' value='A'/></attvalues></node>"
      "<node id='b'/></nodes><edges><edge source='a' target='b' weight='0.25'>"
      "<attvalues><attvalue for='0' value='0.4'/></attvalues></edge></edges></graph></gexf>"));
  check(parse_graphml(
      "<graphml><key id='L' for='node' attr.name='Label'/><key id='l' for='node' attr.name='label'/>"
      "<key id='W' for='edge' attr.name='Weight'/><key id='w' for='edge' attr.name='weight'/><graph>"
      "<node id='a'><data key='L'>A</data><data key='l'>Alpha</data></node><node id='b'/>"
      "<edge source='a' target='b'><data key='w'>0.25</data><data "
      "key='W'>0.4</data></edge></graph></graphml>"));
  check(
      parse_gml("graph [ node [ id 0 Label \"A\" label \"Alpha\" ] node [ id 1 ] "
                "edge [ source 0 target 1 Weight 0.4 weight 0.25 ] ]"));
  check(parse_node_link(
      "{\"nodes\": [{\"id\": \"a\", \"Label\": \"A\", \"label\": \"Alpha\"}, {\"id\": \"b\"}], "
      "\"links\": [{\"source\": \"a\", \"target\": \"b\", \"weight\": 0.25, \"Weight\": 0.4}]}"));
  check(parse_edge_list("Alpha b {'Weight': 0.4, 'weight': 0.25}"));
}

}  // namespace drawn_attributes_test

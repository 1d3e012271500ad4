// The DOT language, as Graphviz reads it.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/misuse_text.hpp"
#include "topology/interchange.hpp"

namespace dot_test {

using hearsay::contains;
using hearsay::Edge;
using hearsay::misuse_text;
using hearsay::parse_dot;

namespace {

std::vector<std::string> names_in(const std::string& text) {
  std::vector<std::string> names;
  for (const auto& peer : parse_dot(text).peers) names.push_back(peer.name);
  return names;
}

}  // namespace

TEST_CASE("dot: all that Graphviz takes for a path of a, b and c is one") {
  for (const std::string text :
       {"graph { a -- b -- c }",
        "GRAPH g { a -- b -- c; }",
        "strict graph \"my net\" { a -- b; b -- c; a -- b }",
        "Strict Digraph { a -> b; b -> a; b -> c; c -> b; c -> b }",
        "digraph { a -> b -> c }",
        "graph { a [label=<<b>A</b> &amp; <i>co</i>>]; a -- b -- c }",
        "graph { a [label=<<table><tr><td port=\"p\">}</td></tr></table>>, shape=none]; a:p:ne -- b -- c }",
        "graph { a [label=< <!-- > --> >]; a -- b -- c }",
        "graph { a -- b -- c [label=<x>] }",
        "graph { \"a\" -- \"b\" -- \"c\" }",
        "graph { \"a\" -- \"\" + \"b\" -- c }",
        "graph { a -- b [weight=\" 0.5 \"]; b -- c [weight=\"0.5\"] }",
        "graph { a -- b, b -- c }",
        "graph { a -- b # to the end\n# a line\nb -- c /* and */ // this\n}",
        "graph { rankdir=LR; a -- b -- c }",
        "graph { a -- b;;; b -- c; ; }",
        "graph { a -- { b } -- c }",
        "graph { b -- { a c } }",
        "graph { subgraph s { a; c }; b -- subgraph s {} }",
        "graph { node [shape=box][color=red] a -- b -- c }",
        "graph { edge [weight=.5, style=dashed;] a -- b -- c [color=\"red:blue\" penwidth=2,] }",
        "digraph { a -> b -> c; { rank=same a; c } }",
        "graph { a:n -- b:\"port one\":sw -- c:_ }",
        "graph { a -- b [key=1]; a -- b [key=1]; b -- c }",
        "graph { a; b; c; a--b--c }",
        "graph { a [pos=\"1,\\\n2\"]; a -- b -- c }",
        "graph{a--b--c}",
        "graph { subgraph { a -- b } b -- c }"}) {
    CAPTURE(text);
    const std::string refused = misuse_text([&] { parse_dot(text); });
    CHECK(refused == "");
    if (!refused.empty()) continue;
    CHECK(names_in(text) == std::vector<std::string>{"a", "b", "c"});
    CHECK(parse_dot(text).graph.edges() == std::vector<Edge>{{0, 1}, {1, 2}});
  }
}

TEST_CASE("dot: names are what Graphviz calls names") {
  const std::vector<std::pair<std::string, std::string>> names = {{"K\u00f6ln", "K\u00f6ln"},
                                                                  {"\u6771\u4eac", "\u6771\u4eac"},
                                                                  {"_x9", "_x9"},
                                                                  {"-.5", "-.5"},
                                                                  {"3.", "3."},
                                                                  {"\"two words\"", "two words"},
                                                                  {"\"say \\\"hi\\\"\"", "say \"hi\""},
                                                                  {"\"a\" + \"b\" + \"c\"", "abc"},
                                                                  {"\"node\"", "node"},
                                                                  {"<b>", "<b>"},
                                                                  {"\"rack[1]\"", "rack(1)"},
                                                                  {"\"# no line\"", "# no line"},
                                                                  {"\"a // b\"", "a // b"}};
  for (const auto& [written, name] : names) {
    CAPTURE(written);
    CHECK(names_in("graph { " + written + " }") == std::vector<std::string>{name});
    CHECK(names_in(to_dot(parse_dot("graph { " + written + " }"))) == std::vector<std::string>{name});
  }
  CHECK(names_in("graph { \"a\n#b\" }") == std::vector<std::string>{"a #b"});
}

TEST_CASE("dot: strict merges what is drawn again, and the later attributes hold") {
  const auto drawn = parse_dot("strict graph { a -- b [weight=1, latency=\"5 ms\"]; b -- a [weight=2] }");
  CHECK(drawn.links[0].weight == 2.0);
  CHECK(drawn.links[0].latency == "5 ms");
  CHECK(drawn.notices.empty());
}

TEST_CASE("dot: defaults hold for what comes after them, in their braces") {
  const auto drawn = parse_dot(
      "graph { edge [latency=\"1 ms\"]; a -- b; { edge [latency=\"2 ms\"]; b -- c } c -- d "
      "subgraph s { edge [latency=\"3 ms\"] } subgraph s { d -- e } }");
  CHECK(drawn.links[0].latency == "1 ms");
  CHECK(drawn.links[1].latency == "2 ms");
  CHECK(drawn.links[2].latency == "1 ms");
  CHECK(drawn.links[3].latency == "3 ms");
}

TEST_CASE("dot: what Graphviz refuses is refused with its line") {
  const auto refusal = [](const std::string& text) { return misuse_text([&] { parse_dot(text); }); };
  CHECK(refusal("graph {\n a -> b }") == "DOT, line 2: expected a node, a subgraph or }, not \"->\"");
  CHECK(refusal("digraph {\n\n a -- b }") == "DOT, line 3: expected a node, a subgraph or }, not \"--\"");
  CHECK(refusal("graph { a -- b }\ngraph { c }") ==
        "DOT, line 2: expected the end of the file after one graph, not \"graph\"");
  CHECK(contains(refusal("graph { a -- Node }"), "not \"Node\""));
  CHECK(refusal("graph { node a }") == "DOT, line 1: expected [, not \"a\"");
  CHECK(contains(refusal("graph { a [x=<b] }"), "HTML begins with < and does not end"));
  CHECK(contains(refusal("graph { a\n-- \"b }"), "DOT, line 2: text in quotes begins"));
  CHECK(contains(refusal("graph { a.b }"), "expected a name"));
}

}  // namespace dot_test

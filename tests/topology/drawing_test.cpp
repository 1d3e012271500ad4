#include "topology/drawing.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "topology/families.hpp"

namespace drawing_test {

using hearsay::make_graph;
using hearsay::to_svg;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("drawing: one circle for each peer, one path for each link, one name for each peer") {
  struct Sample {
    std::string spelling;
    hearsay::PeerId peers;
  };
  for (const Sample& sample : std::vector<Sample>{{"ring", 8},
                                                  {"star", 9},
                                                  {"complete", 5},
                                                  {"torus(3x4)", 12},
                                                  {"grid(2x5)", 10},
                                                  {"ring", 1},
                                                  {"path", 2},
                                                  {"ring", 3}}) {
    CAPTURE(sample.spelling);
    const hearsay::Graph graph = make_graph(sample.spelling, sample.peers, 0);
    const std::string svg = to_svg(graph);
    CHECK(count(svg, "<circle ") == sample.peers);
    CHECK(count(svg, "<text ") == sample.peers);
    CHECK(count(svg, "<path ") == graph.edges().size());
    CHECK(svg.rfind("<svg ", 0) == 0);
    CHECK(svg.find("nan") == std::string::npos);
  }
  CHECK(count(to_svg(make_graph("ring", 101, 0)), "<text ") == 0);
  CHECK(count(to_svg(make_graph("ring", 25, 0), {}, 24), "<text ") == 0);
  CHECK(count(to_svg(make_graph("ring", 24, 0), {}, 24), "<text ") == 24);
}

TEST_CASE("drawing: on a torus the links that wrap around are arcs, on a grid there are none") {
  CHECK(count(to_svg(make_graph("torus(3x4)", 12, 0)), "Q") == 3 + 4);
  CHECK(count(to_svg(make_graph("grid(3x4)", 12, 0)), "Q") == 0);
}

TEST_CASE("drawing: names are escaped") {
  const std::string svg = to_svg(make_graph("path", 2, 0), {"<script>", "a&b"});
  CHECK(svg.find("<script>") == std::string::npos);
  CHECK(svg.find(">&lt;script></text>") != std::string::npos);
  CHECK(svg.find(">a&amp;b</text>") != std::string::npos);
}

}  // namespace drawing_test

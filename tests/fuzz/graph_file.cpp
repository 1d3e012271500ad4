// A topology file in GEXF, GML, JSON, or as an edge list; the first byte says which.
#include <iterator>
#include <string>

#include "runtime/cluster/drawn_description.hpp"
#include "tests/fuzz/input.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/interchange.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  AnnotatedGraph (*const readers[])(std::string_view, const GraphMending&) = {
      parse_gexf, parse_gml, parse_node_link, parse_edge_list};
  fuzz::Input input(data, size);
  const auto read = readers[input.take<std::uint8_t>() % std::size(readers)];
  const std::string text = input.text();
  fuzz::may_refuse([&] {
    const AnnotatedGraph drawn =
        read(text, {.undirected = true, .merge_links = true, .network_from_geo = false});
    fuzz::may_refuse([&] { describe(drawn, "drawn", true); });
    const AnnotatedGraph again = parse_graphml(to_graphml(drawn));
    ensure(again.graph.edges() == drawn.graph.edges() && again.peers == drawn.peers,
           "a graph that was written reads back as the same graph");
  });
  return 0;
}

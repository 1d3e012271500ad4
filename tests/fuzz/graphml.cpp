// A topology file in GraphML.
#include <string>

#include "runtime/cluster/drawn_description.hpp"
#include "tests/fuzz/input.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/interchange.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::Input(data, size).text();
  fuzz::may_refuse([&] {
    const AnnotatedGraph drawn = parse_graphml(text);
    fuzz::may_refuse([&] { describe(drawn, "drawn.graphml", true); });
    const AnnotatedGraph again = parse_graphml(to_graphml(drawn));
    ensure(again.graph.edges() == drawn.graph.edges() && again.peers == drawn.peers &&
               again.links == drawn.links,
           "a graph that was written reads back as the same graph");
  });
  return 0;
}

// A topology file in DOT.
#include <string>

#include "runtime/cluster/drawn_description.hpp"
#include "tests/fuzz/input.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/interchange.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::Input(data, size).text();
  fuzz::may_refuse([&] {
    const AnnotatedGraph drawn = parse_dot(text);
    fuzz::may_refuse([&] { describe(drawn, "drawn.dot", true); });
    const AnnotatedGraph again = parse_dot(to_dot(drawn));
    ensure(again.graph.edges() == drawn.graph.edges() && again.peers == drawn.peers &&
               again.links == drawn.links,
           "a graph that was written reads back as the same graph");
  });
  return 0;
}

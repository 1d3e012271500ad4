// A spelling that a user types. Byte 0 chooses its kind, the rest is its text.
#include "algorithms/compression/seam/compressor.hpp"
#include "runtime/toml/document.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/support/compressor_spellings.hpp"
#include "topology/families.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/schedule.hpp"

using namespace hearsay;

namespace {

constexpr std::size_t dimension = 37;

template <class Scalar>
void build_compressor(const std::string& text) {
  const SegmentTable layers = test::layers(dimension);
  const auto compressor = make_compressor<Scalar>(text, layers);
  compressor->traits(dimension);
  const std::string expanded = compressor->spelling();
  ensure(make_compressor<Scalar>(expanded, layers)->spelling() == expanded,
         "a compressor's spelling reads back as the same compressor");
}

void build_graph(const std::string& text) {
  const TopologySpec spec = parse_topology_spec(text);
  // A large valid graph takes long to build, which is no finding. More peers than this have to be refused.
  if (spec.peers > 300 && spec.peers <= 60'000'000) return;
  ensure(make_graph(spec.spelling, spec.peers, 1).component_count() == 1, "a family's graphs are connected");
}

void build_schedule(const std::string& text) {
  static const Graph graph = make_graph("complete", 8, 1);
  const auto schedule = make_schedule(text, graph, make_mixing("metropolis", graph), 1);
  for (const std::uint64_t round : {std::uint64_t{0}, *schedule->period(), ~std::uint64_t{0}})
    for (PeerId peer = 0; peer < graph.peer_count(); ++peer) schedule->row(peer, round);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const auto what = input.take<std::uint8_t>() % 5;
  const std::string text = input.text();
  fuzz::may_refuse([&] {
    if (what == 0) build_compressor<float>(text);
    if (what == 1) build_compressor<double>(text);
    if (what == 2) build_graph(text);
    if (what == 3) build_schedule(text);
    if (what == 4) parse_toml_value(text, "--set");
  });
  return 0;
}

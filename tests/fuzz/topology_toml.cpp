// A topology file in TOML.
#include <string>

#include "runtime/cluster/topology_file.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/support/topology_text.hpp"
#include "topology/foundation/ensure.hpp"

using namespace hearsay;

namespace {

/// True if the graph is large and valid: it takes long to build, which is no finding. More peers than this
/// have to be refused.
bool takes_long(const TopologyDescription& description) {
  return !description.family.empty() && description.peer_count > 64 && description.peer_count <= 60'000'000;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::Input(data, size).text();
  fuzz::may_refuse([&] {
    if (takes_long(parse_cluster_description(text, "topology.toml"))) return;
    const std::string once = to_toml(parse_topology(text, 1, "topology.toml"));
    std::string again;
    try {
      again = to_toml(parse_topology(once, 1, "again.toml"));
    } catch (const Misuse&) {
      again.clear();
    }
    ensure(again == once, "a topology file that was written reads back as the same topology");
  });
  return 0;
}

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/cluster/topology_file.hpp"
#include "topology/gossip_forecast.hpp"

namespace hearsay {

/// What `hearsay topology --fit` is told.
struct FitOptions {
  std::filesystem::path links;   ///< a links file; empty: nothing is fitted
  std::filesystem::path peers;   ///< a topology file whose peers these are; may be empty
  std::uint64_t degree = 3;      ///< links that a peer has at most
  std::string message = "1 MB";  ///< the size of one
  std::string weights;           ///< of the graph that is found; empty: metropolis
  std::uint64_t seed = 1;
};

/// A topology that was fitted to a network, and what it is compared with.
struct FittedTopology {
  NamedTopology topology;
  GossipPlan plan;
  std::vector<GossipPlan> families;  ///< ring, torus, exponential, complete; as many as there are
};

/// Searches the topology; says on standard error how far it is, if it takes longer than two seconds. Throws
/// Misuse for what is wrong with the options or with the files.
FittedTopology fitted_topology(const FitOptions& options);

/// Returns the fitted graph beside the families, a row each, with a newline at the end.
std::string comparison_text(const FittedTopology& fitted);

}  // namespace hearsay

#pragma once

#include <string>
#include <vector>

#include "topology/interchange.hpp"

namespace hearsay {

/// A node as a graph file has it; texts are as written, empty if absent.
struct DrawnPeer {
  std::string id;
  std::string label;
  std::string address;
  std::string latitude;   ///< degrees
  std::string longitude;  ///< degrees
};

/// At which ends a link has an arrow head.
enum class ArrowHeads {
  undirected,  ///< none, since its graph has no arcs
  none,        ///< none, although its graph has arcs
  at_target,
  at_source,
  at_both,
};

/// A link as a graph file has it, its ends by id; texts are as written, empty if absent.
struct DrawnLink {
  std::string from;
  std::string to;
  std::string weight;
  std::string latency;
  std::string bandwidth;
  std::string speed;  ///< bits per second
  ArrowHeads heads = ArrowHeads::undirected;
};

/// What a reader of a format returns, in the file's order.
struct DrawnGraph {
  std::vector<DrawnPeer> peers;
  std::vector<DrawnLink> links;
};

/// Numbers and names the peers, folds opposite arcs and parallel links, and checks both (interchange.hpp has
/// the rules). Every Misuse begins with `format`.
AnnotatedGraph annotated(DrawnGraph drawn, const std::string& format, const GraphMending& mending);

}  // namespace hearsay

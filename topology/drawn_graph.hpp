#pragma once

#include <string>
#include <vector>

#include "topology/interchange.hpp"

namespace hearsay {

/// A link as a GraphML or DOT file has it, its ends by name; texts are as written, empty if absent.
struct DrawnLink {
  std::string from;
  std::string to;
  std::string weight;
  std::string latency;
  std::string bandwidth;
  bool directed = false;
};

/// What a GraphML or DOT reader returns, in the file's order.
struct DrawnGraph {
  std::vector<PeerNotes> peers;
  std::vector<DrawnLink> links;
};

/// Numbers the peers by the natural order of their names, folds opposite arcs into links, and checks both
/// (interchange.hpp has the rules). Every Misuse begins with `format`.
AnnotatedGraph annotated(DrawnGraph drawn, const std::string& format);

}  // namespace hearsay

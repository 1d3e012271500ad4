#pragma once

#include <string>
#include <vector>

#include "topology/interchange.hpp"

namespace hearsay {

/// An edge of a file, with the names of its ends.
struct DrawnLink {
  std::string from;
  std::string to;
  std::string weight;
  std::string latency;
  std::string bandwidth;
  bool directed = false;
};

/// The result of any format's reader, in the file's order.
struct DrawnGraph {
  std::vector<PeerNotes> peers;
  std::vector<DrawnLink> links;
};

/// Numbers the peers, folds opposite arcs and checks; `format` begins the sentence of a Misuse.
AnnotatedGraph annotated(DrawnGraph drawn, const std::string& format);

}  // namespace hearsay

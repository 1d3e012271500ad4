#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/session/probe_verdict.hpp"
#include "tools/terminal/run_options.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

struct CheckOptions : RunFileOptions {
  bool connect = false;      ///< test the connections of one peer instead of printing the plan
  std::optional<PeerId> id;  ///< empty: the environment says it
  std::string patience = "30 s";
  bool measure = false;  ///< measure the links between all peers, too
  std::string time = "4 s";
  std::string bytes = "64 MB";
  std::filesystem::path links = "links.toml";
  bool overwrite = false;
  StopRequest* stop = nullptr;  ///< what signals ask of a measurement
};

/// Prints the verdicts on the connections of peer `id`, and returns the exit code that they make.
int print_connections(PeerId id, const std::vector<CheckedEdge>& edges, const CheckOptions& options);

/// `hearsay check FILE --connect`. Returns the exit code.
int check_connections_command(const CheckOptions& options);

}  // namespace hearsay

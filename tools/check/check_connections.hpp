#pragma once

#include <optional>
#include <string>

#include "tools/terminal/run_options.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

struct CheckOptions : RunFileOptions {
  bool connect = false;      ///< test the connections of one peer instead of printing the plan
  std::optional<PeerId> id;  ///< empty: the environment says it
  std::string patience = "30 s";
};

/// `hearsay check FILE --connect`. Returns the exit code.
int check_connections_command(const CheckOptions& options);

}  // namespace hearsay

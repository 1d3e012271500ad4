#pragma once

#include "runtime/run_settings.hpp"
#include "tools/commands.hpp"

namespace hearsay {

/// How a peer's part in a run that spans hosts ended; `reason` where it did not end well.
struct PeerTraining {
  int exit_code = 0;
  std::string reason;
};

/// Trains as the peer that the options, or else the environment, say. Peer 0 writes the output directory and, where
/// `reports`, says how the run ended on standard output.
PeerTraining train_as_peer(const RunSettings& settings, const PeerOptions& options, bool reports);

/// A peer that `hearsay launch` has started: the run comes over standard input, what is left of it goes over standard
/// output.
int launched_peer_command(const PeerOptions& options);

}  // namespace hearsay

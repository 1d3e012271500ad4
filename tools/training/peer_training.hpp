#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "runtime/cluster/placement.hpp"
#include "runtime/settings/run_settings.hpp"
#include "tools/terminal/run_options.hpp"

namespace hearsay {

struct PeerOptions : RunOptions {
  std::optional<PeerId> id;  ///< else the environment says it
  std::string start_patience = "2 min";
  bool ends_with_input = false;
  std::atomic<bool>* ask_to_end = nullptr;  ///< what `interrupted` looks at
  /// Why the run cannot go on, where whoever started the peers has said so.
  std::function<std::optional<std::string>()> lost = [] { return std::nullopt; };
};

/// How a peer's part in a run that spans hosts ended; `reason` where it did not end well.
struct PeerTraining {
  int exit_code = 0;
  std::string reason;
};

/// Which peer of the run this process is, and where all are, as the command line (`id`) or else the
/// environment says. Misuse where neither does.
PeerPlace place_of(const RunSettings& settings, const std::optional<PeerId>& id);

/// Trains as the peer that the options, or else the environment, say. Peer 0 writes the output directory and,
/// where `reports`, says how the run ended on standard output.
PeerTraining train_as_peer(const RunSettings& settings, const PeerOptions& options, bool reports);

/// A peer that `hearsay launch` has started: the run comes over standard input, what is left of it goes over
/// standard output.
int launched_peer_command(const PeerOptions& options);

}  // namespace hearsay

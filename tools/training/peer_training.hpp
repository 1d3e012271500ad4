#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "runtime/cluster/placement.hpp"
#include "runtime/record/run_control.hpp"
#include "runtime/settings/run_settings.hpp"
#include "tools/terminal/run_options.hpp"

namespace hearsay {

class RunWatcher;

struct PeerOptions : RunOptions {
  std::optional<PeerId> id;  ///< empty: the environment says it
  std::string start_patience = "2 min";
  bool ends_with_input = false;
  std::optional<std::uint32_t> program_channel = {};  ///< descriptor of the socket to this peer's program
  std::string command = {};                           ///< as in TrainingOptions
  RunWatcher* watcher = nullptr;                      ///< follows the run, at peer 0; may be null
  /// Returns why the run cannot go on, if the starter of the peers has said so.
  std::function<std::optional<std::string>()> lost = [] { return std::nullopt; };
  std::function<std::optional<EndedPeer>()> ended_peer = [] { return std::nullopt; };
};

/// How the part of a peer in a run over several hosts ended. `reason` is set if it did not end
/// well, and nobody has told the user why.
struct PeerTraining {
  int exit_code = 0;
  std::string reason;
};

/// Returns which peer this process is, and where all peers are, as `id` or else the environment says. Throws
/// Misuse if neither says it.
Placement placement_of(const RunSettings& settings, const std::optional<PeerId>& id);

/// Trains as the peer that the options, or else the environment, name. Peer 0 writes the output directory. If
/// `reports`, it also prints how the run ended on standard output.
PeerTraining train_as_peer(const RunSettings& settings, const PeerOptions& options, bool reports);

/// Runs a peer that `hearsay launch` has started, and returns its exit code. The run arrives over standard
/// input; the output is sent over standard output.
int launched_peer_command(const PeerOptions& options);

}  // namespace hearsay

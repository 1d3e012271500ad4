#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/record/run_control.hpp"
#include "runtime/security/credentials.hpp"

namespace hearsay {

/// Where a peer of the run listens, by id.
using Addresses = std::vector<std::string>;

/// Where all of a run listen.
struct RunAddresses {
  Addresses peers;
  std::string observer;
};

/// How a peer's part in a run ended: 0 when the run took its course, 2 or 3 with `reason` when this peer
/// could take no part or lost a neighbor, 130 when it was interrupted.
struct PeerEnd {
  int exit_code = 0;
  std::string reason;
};

/// How a peer comes into a run, and leaves it.
struct PeerEntry {
  std::string bind_address;  ///< "tcp://127.0.0.1:*" takes any free port
  bool same_machine;         ///< all peers share one clock
  Duration start_patience;
  SharedCredentials credentials = {};  ///< null: plain text
  bool resumes = false;  ///< from its checkpoints, if failure.checkpoint_every says that there are any
  bool limits_bandwidth = true;  ///< the built-in shaper does, not the kernel
  /// Called once the peer listens, with its address. Returns where all of the run listen; nothing if
  /// there is no run any more: the peer then ends with code 3.
  std::function<std::optional<RunAddresses>(const std::string& own)> meet;
  /// Called when the peer has ended, before its sockets are closed, which may take a second: until its
  /// last words have left.
  std::function<void(const PeerEnd&)> on_end = [](const PeerEnd&) {};
};

/// Drives peer `id` from its first socket to the end of the run, in this thread. A neighbor that is
/// silent for longer than failure.lost_after is lost, and the run with it. Throws Misuse if the peer
/// cannot listen or connect there, or resumes without usable checkpoints.
template <class Scalar>
PeerEnd drive_peer(const Experiment<Scalar>& experiment, PeerId id, const PeerEntry& entry,
                   const RunControl& control = {});

}  // namespace hearsay

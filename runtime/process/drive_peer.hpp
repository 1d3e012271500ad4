#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/foundation/shared_slots.hpp"
#include "runtime/participant/peer_end.hpp"
#include "runtime/record/run_control.hpp"
#include "runtime/security/credentials.hpp"
#include "runtime/transfer/training_traffic.hpp"

namespace hearsay {

/// The addresses at which the peers of a run listen, by id.
using Addresses = std::vector<std::string>;

struct RunAddresses {
  Addresses peers;
  std::string observer;
};

/// How a peer comes into a run, and leaves it.
struct PeerEntry {
  std::string bind_address;  ///< "tcp://127.0.0.1:*" takes any free port
  bool same_machine;         ///< true: all peers share one clock
  Duration start_patience;
  SharedCredentials credentials = {};  ///< null: plain text
  bool resumes = false;          ///< resume from checkpoints; ignored if failure.checkpoint_every takes none
  bool limits_bandwidth = true;  ///< true: the built-in shaper does; false: the kernel does
  TrainingTraffic* traffic = nullptr;  ///< where it says that it waits for messages; null: nobody asks
  /// Where it puts its evaluations for an observer on this machine; null: they go over its socket.
  SharedSlots* slots = nullptr;
  /// Called once the peer listens, with its own address. Returns the addresses of the run; empty if the run
  /// is over, and then the peer ends with code 3.
  std::function<std::optional<RunAddresses>(const std::string& own)> meet;
  /// Called when the peer has ended, before its sockets are closed. Closing may take a second, until the last
  /// frames have left.
  std::function<void(const PeerEnd&)> on_end = [](const PeerEnd&) {};
};

/// Drives peer `id` from its first socket to the end of the run, in this thread. A neighbor that is silent
/// for too long (SilenceWatch) is lost: the run ends, or goes on without it under policy "drop". Throws
/// Misuse if the peer cannot listen or connect, or its checkpoints cannot be used.
template <class Scalar>
PeerEnd drive_peer(const Experiment<Scalar>& experiment, PeerId id, const PeerEntry& entry,
                   const RunControl& control = {});

}  // namespace hearsay

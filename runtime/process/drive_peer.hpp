#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/experiment/experiment.hpp"
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

/// How a peer's part in a run ended.
struct PeerEnd {
  /// 0: the run took its course; 2: some peer's input or file is unusable; 3: a peer or the observer was
  /// lost, or this peer could not take part; 4: the run diverged; 130: the run or this peer was interrupted.
  int exit_code = 0;
  std::string reason;        ///< a sentence; may be empty, above all with code 0
  bool run_goes_on = false;  ///< without this peer: it left under "drop", or was replaced as a hub
  bool took_part = false;    ///< false if it ended before it trained, or trained on
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

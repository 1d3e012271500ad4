#pragma once

#include <memory>
#include <string>

#include "runtime/security/credentials.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/zmq/peer_sockets.hpp"

namespace hearsay {

/// How a peer comes into a run.
struct PeerOpening {
  std::string bind_address;
  bool same_machine;  ///< all peers share one clock
  Duration start_patience;
  SharedCredentials credentials = {};  ///< null: plain text
  bool goes_on = false;  ///< from its checkpoints, if failure.checkpoint_every says that there are any
  bool limits_bandwidth = true;  ///< the built-in shaper does, not the kernel
};

/// The sockets of peer `id`, bound, not yet connected.
template <class Scalar>
std::unique_ptr<PeerSockets> open_sockets(const Experiment<Scalar>& experiment, PeerId id,
                                          const PeerOpening& opening);

}  // namespace hearsay

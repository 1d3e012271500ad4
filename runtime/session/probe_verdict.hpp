#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/session/probe.hpp"

namespace hearsay {

/// What a check found out about the connection to one neighbor, or to the observer.
struct CheckedEdge {
  std::string who;          ///< "peer 2", "observer", "all peers"
  std::string address;      ///< where the neighbor or the observer listens
  std::optional<bool> out;  ///< whether this peer reaches it and is answered; empty if a run does not need it
  std::optional<bool> in;   ///< whether it reaches this peer and is answered; empty likewise
  std::vector<Duration> round_trips;  ///< ascending
  std::string wrong;                  ///< what is wrong, in a sentence for the user; empty if nothing is
  bool works() const { return out.value_or(true) && in.value_or(true); }
};

/// What was observed of a connection when the check ended.
struct EdgeEvidence {
  const ProbeCaller* caller = nullptr;          ///< null if this peer does not have to call
  const ProbeServer::Caller* called = nullptr;  ///< null if this peer does not have to be called
  /// Why ZeroMQ's own handshake failed, in a sentence; empty if it did not.
  std::string handshake;
  /// Why there was no TCP connection, in a sentence; empty if something accepted one.
  std::string tcp;
  std::string own_address;
};

/// Returns the verdict. If several things are wrong, `wrong` names the one that explains most. Pure.
CheckedEdge judge_edge(std::string who, std::string address, const EdgeEvidence& evidence);

/// The verdict on the observer's port at peer 0, which all peers have to reach.
CheckedEdge judge_observer(std::string address, const ProbeServer& observer);

}  // namespace hearsay

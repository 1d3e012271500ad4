#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/session/probe.hpp"

namespace hearsay {

/// What a check found out about one neighbor, or about the observer.
struct CheckedEdge {
  std::string who;          ///< "peer 2", "observer", "all peers"
  std::string address;      ///< where it listens
  std::optional<bool> out;  ///< this peer reaches it and is answered; nothing where a run does not need it
  std::optional<bool> in;   ///< it reaches this peer and is answered; likewise
  std::vector<Duration> round_trips;  ///< ascending
  std::string wrong;                  ///< the sentence for the user; empty where nothing is
  bool works() const { return out.value_or(true) && in.value_or(true); }
};

/// What was seen of an edge when the check ended.
struct EdgeEvidence {
  const ProbeCaller* caller = nullptr;          ///< where this peer calls
  const ProbeServer::Caller* called = nullptr;  ///< where this peer is to be called
  /// What ZeroMQ's own handshake came to, where it failed: a sentence.
  std::string handshake;
  /// Why there was no connection at all; empty where something accepted one.
  std::string tcp;
  std::string own_address;
};

/// The verdict: the most telling of all that is wrong with the edge. Pure.
CheckedEdge judge_edge(std::string who, std::string address, const EdgeEvidence& evidence);

/// The same of peer 0's other port, the observer's, that all peers have to reach.
CheckedEdge judge_observer(std::string address, const ProbeServer& observer);

}  // namespace hearsay

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/checkpoint/archive.hpp"
#include "runtime/session/heard.hpp"

namespace hearsay {

/// What a process in virtual time leaves behind when it is killed: checkpoints, and the log of what it has
/// heard since. As PeerArchive.
template <class Scalar>
class ProcessArchive {
 public:
  virtual ~ProcessArchive() = default;
  virtual void hear(const Heard& heard) = 0;
  virtual void save(Peer<Scalar>& peer, const SessionState& session, const PeerMeters& meters) = 0;
  /// Returns the iterations that the peer can be restored to, ascending.
  virtual std::vector<std::uint64_t> holds() const = 0;
  /// Restores the peer to its checkpoint at iteration `at`; if empty, to where its process ended.
  virtual RestoredPeer<Scalar> restored(std::optional<std::uint64_t> at, PacketPool& packets) = 0;
};

}  // namespace hearsay

#pragma once

#include "runtime/record/outcome.hpp"
#include "runtime/session/peer_session.hpp"
#include "runtime/zmq/clock.hpp"
#include "runtime/zmq/peer_sockets.hpp"

namespace hearsay {

/// What a peer's driver counts and measures. The counts continue those of earlier processes under the same
/// id.
class PeerMeter {
 public:
  PeerMeter(const PeerSession& session, const PeerSockets& sockets) : session_(session), sockets_(sockets) {}

  /// The meters that the driver counts up itself.
  PeerMeters& counts() { return meters_; }
  /// Continues the meters of earlier processes, as their checkpoint has them. Returns the current meters, to
  /// which the replay of the log adds.
  PeerMeters& resume_from(const PeerMeters& earlier) { return meters_ = earlier_ = earlier; }
  /// `origin`: the beginning of the run's time.
  void begin(Instant origin) { origin_ = origin; }
  Duration since_begin(Instant now) const { return now - origin_; }

  /// Returns all meters as of now, including the counters of peer, session and sockets.
  const PeerMeters& read(const PeerCounters& of_peer) {
    const SocketCounters at_sockets = sockets_.counters();
    const PeerSession::Counters& at_session = session_.counters();
    meters_.now = since_begin(monotonic_now());
    meters_.counters = of_peer;
    meters_.garbage = earlier_.garbage + at_sockets.garbage;
    meters_.refused = earlier_.refused + at_sockets.refused + at_session.refused;
    meters_.gaps = earlier_.gaps + at_session.gaps;
    meters_.repeated = earlier_.repeated + at_session.repeated;
    meters_.retransmitted = earlier_.retransmitted + at_sockets.emulated_losses + at_session.retransmitted;
    return meters_;
  }

 private:
  const PeerSession& session_;
  const PeerSockets& sockets_;
  PeerMeters meters_;
  PeerMeters earlier_;
  Instant origin_{};
};

}  // namespace hearsay

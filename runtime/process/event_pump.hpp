#pragma once

#include <vector>

#include "runtime/session/events.hpp"
#include "runtime/zmq/clock.hpp"
#include "runtime/zmq/peer_sockets.hpp"

namespace hearsay {

/// Serves a peer's sockets, and hands over the session's events.
class EventPump {
 public:
  explicit EventPump(PeerSockets& sockets) : sockets_(sockets) {}

  /// PeerSockets::serve. Events stay in the sockets until they are drained.
  void serve(Instant until, int also = -1) {
    sockets_.serve(until, also);
    served_at_ = monotonic_now();
  }
  /// Serves the sockets without waiting, if that was not done for `max_serve_gap`.
  void serve_now_and_then() {
    if (const Instant now = monotonic_now(); now - served_at_ > max_serve_gap) serve(now);
  }
  /// Calls `handle(event)` for each event, in order, and serves the sockets in between. False if there was no
  /// event. Events that come meanwhile wait for the next call.
  template <class Handle>
  bool drain(const Handle& handle) {
    if (sockets_.events().empty()) return false;
    sockets_.events().swap(handled_);
    for (SocketEvent& event : handled_) {
      handle(event);
      serve_now_and_then();
    }
    handled_.clear();
    return true;
  }
  /// Sends at once what the session wants sent.
  void carry_out() { sockets_.carry_out(); }

 private:
  /// So long frames may wait in the sockets: short compared with anything that waits for them.
  static constexpr Duration max_serve_gap = std::chrono::milliseconds(1);

  PeerSockets& sockets_;
  std::vector<SocketEvent> handled_;  // the events that are being handed over
  Instant served_at_{};
};

}  // namespace hearsay

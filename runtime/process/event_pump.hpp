#pragma once

#include <vector>

#include "runtime/session/events.hpp"
#include "runtime/zmq/clock.hpp"
#include "runtime/zmq/peer_sockets.hpp"

namespace hearsay {

/// Serves a peer's sockets, and hands over what was heard there.
class EventPump {
 public:
  explicit EventPump(PeerSockets& sockets) : sockets_(sockets) {}

  /// As PeerSockets does. What is heard stays there until it is drained.
  void serve(Instant until, int also = -1) {
    sockets_.serve(until, also);
    served_at_ = monotonic_now();
  }
  /// Without waiting, if they were not served for a while.
  void serve_now_and_then() {
    if (const Instant now = monotonic_now(); now - served_at_ > longest_absence) serve(now);
  }
  /// Hands over what was heard, in order, to `handle(event)`, and serves the sockets in between. Returns
  /// whether anything was.
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
  void carry_out() { sockets_.carry_out(); }

 private:
  /// Somebody may wait for what is in the sockets, but so little does not matter.
  static constexpr Duration longest_absence = std::chrono::milliseconds(1);

  PeerSockets& sockets_;
  std::vector<SocketEvent> handled_;  // what is handed over now
  Instant served_at_{};
};

}  // namespace hearsay

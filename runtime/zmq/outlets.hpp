#pragma once

#include <cstdint>
#include <optional>
#include <vector>
#include <zmq.hpp>

#include "runtime/network/egress.hpp"
#include "runtime/session/context.hpp"
#include "runtime/transfer/oldest_first.hpp"
#include "runtime/zmq/handshake_watch.hpp"
#include "runtime/zmq/outlet.hpp"

namespace hearsay {

/// A peer's connections to all of its destinations, and the order in which messages go to them.
class Outlets {
 public:
  /// `egress` and `handshakes` must outlive all calls; `egress` must outlive this object, too.
  Outlets(Egress& egress, HandshakeWatch& handshakes) : egress_(egress), handshakes_(handshakes) {}
  /// Sends what still waits: nobody would send it later.
  ~Outlets();
  Outlets(const Outlets&) = delete;
  Outlets& operator=(const Outlets&) = delete;

  /// Connects to the destinations, by id, ascending. Must be called once, and before `handshakes` watches any
  /// other socket.
  void connect(zmq::context_t& context, const SocketInput& input, std::vector<Destination> destinations);

  /// Sends a data frame, at once or when its turn has come (OldestFirst).
  void send(const PeerFrame& word);
  /// Sends a control frame.
  void say(const PeerFrame& word);
  /// Sends the messages whose turn has come.
  void send_waiting();
  /// Returns when `send_waiting` is to be called next.
  Instant next(Instant now) const;
  /// Returns how often the emulated network has lost a frame.
  std::uint64_t emulated_losses() const { return emulated_losses_; }

  std::size_t count() const { return outlets_.size(); }
  std::vector<Outlet>::iterator begin() { return outlets_.begin(); }
  std::vector<Outlet>::iterator end() { return outlets_.end(); }

 private:
  std::size_t place_of(PeerId id) const;
  void send(const OldestFirst::Message& message);
  /// Needs no `handshakes_`, which may be gone when the last messages leave.
  void put(const OldestFirst::Message& message, Instant now);

  Egress& egress_;
  HandshakeWatch& handshakes_;
  std::vector<Outlet> outlets_;
  std::optional<OldestFirst> order_;         // empty: every message is sent at once
  std::vector<std::uint64_t> unsent_bytes_;  // by outlet
  std::uint64_t emulated_losses_ = 0;
};

}  // namespace hearsay

#pragma once

#include <deque>
#include <string>
#include <utility>
#include <zmq.hpp>

#include "runtime/zmq/frames.hpp"
#include "runtime/zmq/peer_sockets.hpp"

namespace hearsay {

/// The most messages that ZeroMQ queues per connection; further ones wait in the outlet. A synchronous method
/// has far fewer under way.
inline constexpr int high_water_mark = 64;

/// The send buffer of a loopback connection, in bytes; the kernel doubles it. It is so small that the data
/// are still in the caches of the processor when they are copied the second time (messages of 4 MB: a third
/// less time in the kernel). For other connections the kernel adapts the buffer to the network.
inline constexpr int loopback_send_buffer_bytes = 1 << 18;

/// Sets up a DEALER of peer `self` for peer `server`. It then connects in the background (`Dialing`): ZeroMQ
/// tries again until the server is up.
void set_up_dealer(zmq::socket_t& dealer, PeerId self, std::size_t payload_limit_bytes,
                   const std::string& address, const SharedCredentials& credentials, PeerId server);

/// A peer's connection to one destination.
class Outlet {
 public:
  Outlet(zmq::context_t& context, Destination destination);

  /// Sends a packet, now or as soon as ZeroMQ takes it. Packets leave in the order of the calls.
  void send(const FrameHeader& header, const PacketPart& packet);
  /// Sends as much of the backlog as ZeroMQ takes now. Returns true if the socket may have received something
  /// in the meantime.
  bool send_backlog();
  /// Sends a control frame of the session. A heartbeat is dropped if packets wait in the backlog: it names
  /// their numbers and must not overtake them. A hello discards the backlog, since its packets are sent again
  /// after the welcome.
  void say(const FrameHeader& header, std::span<const std::byte> payload);
  /// "peer 2 (tcp://10.0.0.2:7000)"
  std::string name() const { return "peer " + std::to_string(id) + " (" + address + ")"; }

  PeerId id;
  std::string address;
  Link link;
  zmq::socket_t socket;
  /// True if the socket may have something to receive: it was used since it was last found empty, or its file
  /// descriptor was readable.
  bool may_be_ready = true;

 private:
  std::deque<std::pair<FrameHeader, PacketPart>> backlog_;
};

}  // namespace hearsay

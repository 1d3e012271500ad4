#pragma once

#include <deque>
#include <string>
#include <utility>
#include <zmq.hpp>

#include "runtime/zmq/frames.hpp"
#include "runtime/zmq/peer_sockets.hpp"

namespace hearsay {

/// Messages that ZeroMQ may queue per connection; beyond it they wait in the outlet. A synchronous method keeps far fewer
/// under way.
inline constexpr int high_water_mark = 64;

/// What one connection of loopback keeps in the kernel, which doubles it: little enough that it is copied twice while it is still
/// in the processor's caches (4 MB messages: a third less time in the kernel). Elsewhere the kernel finds out how much is under
/// way on a long wire.
inline constexpr int loopback_send_buffer_bytes = 1 << 18;

/// Sets a DEALER up as peer `self`'s and connects it to peer `server`, in the background, for as long as it takes. Throws
/// Misuse where the address makes no sense.
void connect_dealer(zmq::socket_t& dealer, PeerId self, std::size_t payload_limit_bytes,
                    const std::string& address, const SharedCredentials& credentials, PeerId server);

/// A peer's way to one destination.
class Outlet {
 public:
  Outlet(zmq::context_t& context, Destination destination);

  void connect(PeerId self, std::size_t payload_limit_bytes, const SharedCredentials& credentials);

  /// Packets leave in the order of the calls, at once or when ZeroMQ takes them.
  void send(const FrameHeader& header, const PacketRef& packet);
  /// What waits and ZeroMQ takes now. True where that stirred the socket.
  bool send_backlog();
  /// A word of the session. Signs of life do not overtake packets, whose numbers they tell; a hello takes the place of those
  /// that wait, since they are sent again after it.
  void say(const FrameHeader& header, std::span<const std::byte> payload);
  /// "peer 2 (tcp://10.0.0.2:7000)"
  std::string name() const { return "peer " + std::to_string(id) + " (" + address + ")"; }

  PeerId id;
  std::string address;
  Link link;
  zmq::socket_t socket;
  bool stirred = true;  ///< used since it was last found to have nothing, or called by what came

 private:
  std::deque<std::pair<FrameHeader, PacketRef>> backlog_;
};

}  // namespace hearsay

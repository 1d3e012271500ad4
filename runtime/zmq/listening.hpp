#pragma once

#include <cstddef>
#include <string>
#include <zmq.hpp>

namespace hearsay {

/// How a ROUTER listens, with limits that keep strangers from exhausting the process behind it. A message
/// longer than the payload limit ends its connection before memory is allocated for it. A connection may have
/// at most `queue_frames` messages that were received and not read. A connection that does not complete the
/// handshake within `handshake_patience_ms` is closed. The number of connections is limited by the number of
/// files that the process may open. A socket of the machine (ipc://) takes those of its own user only.
struct Listening {
  std::size_t payload_limit_bytes;
  int queue_frames;        ///< per connection
  int linger_ms;           ///< how long the closing socket may still send
  std::string congestion;  ///< network.congestion, of the connections that it accepts
};

/// How long, in ms, the handshake of a connection may take.
inline constexpr int handshake_patience_ms = 10'000;

/// Binds a ROUTER, which must not be watched by a monitor yet. Returns the address that it is bound to, with
/// its port. Misuse, naming the setting `key`, if the address is not available.
std::string listen(zmq::context_t& context, zmq::socket_t& router, const Listening& limits,
                   const std::string& key, const std::string& address);

}  // namespace hearsay

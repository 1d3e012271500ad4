#pragma once

#include <cstddef>
#include <string>
#include <zmq.hpp>

namespace hearsay {

/// Bounds what strangers can make a ROUTER do. A message longer than the payload limit ends its connection
/// before memory is allocated for it. A connection has at most `queue_frames` messages under way. A
/// connection that says nothing is closed after `handshake_patience_ms`. The process takes no more
/// connections than it may open files.
struct Listening {
  std::size_t payload_limit_bytes;
  int queue_frames;  ///< per connection
  int linger_ms;
};

/// How many milliseconds a connection may take to say who it is.
inline constexpr int handshake_patience_ms = 10'000;

/// Binds a ROUTER and returns the address that it got. Misuse, in the name of the setting `key`, if the
/// address is not available.
std::string listen(zmq::socket_t& router, const Listening& limits, const std::string& key,
                   const std::string& address);

}  // namespace hearsay

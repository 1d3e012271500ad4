#pragma once

#include <cstddef>
#include <string>
#include <zmq.hpp>

namespace hearsay {

/// What strangers can make a ROUTER do is bounded by this, whoever connects: a message longer than a payload may be
/// ends its connection before memory is taken for it; a connection has `queue_frames` of them under way at most; one that
/// says nothing is closed after `handshake_patience_ms`; and the process takes no more connections than it may open files.
struct Listening {
  std::size_t payload_limit_bytes;
  int queue_frames;  ///< per connection
  int linger_ms;
};

/// Milliseconds that a connection may take to say who it is.
inline constexpr int handshake_patience_ms = 10'000;

/// Binds a ROUTER and returns the address that it got. Misuse, in the name of `key`, where the address cannot be had.
std::string listen(zmq::socket_t& router, const Listening& limits, const std::string& key,
                   const std::string& address);

}  // namespace hearsay

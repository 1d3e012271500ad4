#pragma once

#include <cstddef>

namespace hearsay {

/// Returns the seconds of an exchange with both neighbors on a ring of eight processes over loopback; 0 if a
/// process failed. The processes use the same sockets and message parts as hearsay, and nothing else: the
/// difference to the time of hearsay is what hearsay adds to ZeroMQ.
double bare_zmq_exchange_seconds(std::size_t message_bytes, int iterations);

}  // namespace hearsay

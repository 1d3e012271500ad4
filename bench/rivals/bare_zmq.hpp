#pragma once

#include <cstddef>

namespace hearsay {

/// Seconds of an exchange with both neighbors on a ring of eight processes over loopback that have ZeroMQ's sockets and nothing else:
/// the floor of whoever uses them. The same sockets and parts as hearsay's, and one thread beside ZeroMQ's own.
double bare_zmq_exchange_seconds(std::size_t message_bytes, int iterations);

}  // namespace hearsay

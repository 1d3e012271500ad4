#pragma once

#include <cstddef>

namespace hearsay {

/// Seconds of an exchange with both neighbors on a ring of eight processes over loopback that have hearsay's
/// sockets and message parts, and nothing else: what remains of hearsay's time without hearsay. 0 where one
/// of them failed.
double bare_zmq_exchange_seconds(std::size_t message_bytes, int iterations);

}  // namespace hearsay

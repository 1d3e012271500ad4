#pragma once

#include <cstddef>

#include "runtime/foundation/units.hpp"

namespace hearsay {

// network.pace: the bandwidth of a peer's real port. Its connections send no faster than that together, so
// that the queue at the port stays short and drops little. A congestion control alone learns the bandwidth
// from what is dropped, or from how long the queue is.

/// Returns the rate at which a connection is paced if `at_once` of them send at the same time through a port
/// of this bandwidth: its share, in bytes of payload. Those of TCP, IP and Ethernet are left room for, and
/// the acknowledgements of as many bytes that come the other way. Unlimited if the port is.
Bandwidth paced_share(Bandwidth port, std::size_t at_once);

/// Lets a connection of TCP to another host send no faster. Within this machine nothing is paced.
void pace(int socket, Bandwidth rate);

}  // namespace hearsay

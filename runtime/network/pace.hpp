#pragma once

#include "runtime/foundation/units.hpp"

namespace hearsay {

// network.pace: the bandwidth of a peer's real port. Its connections send no faster than that together, so
// that the queue at the port stays short and drops little. A congestion control alone learns the bandwidth
// from what is dropped, or from how long the queue is.

/// Returns how fast the connections through a port of this bandwidth may send together (PortShares), in bytes
/// of payload. The headers of TCP, IP and Ethernet are left room for, and the acknowledgements of as many
/// bytes that come the other way. Unlimited if the port is.
Bandwidth payload_rate(Bandwidth port);

/// Lets a connection of TCP send no faster.
void pace(int socket, Bandwidth rate);

}  // namespace hearsay

#pragma once

#include <cstddef>

#include "bench/foreign_network.hpp"

namespace hearsay {

/// Returns the seconds of an exchange by TCP alone, without ZeroMQ, headers or checksums: each of the `hosts`
/// in a ring sends `bytes` to both neighbors, and the next exchange begins when it has those of both. Each
/// link has one connection, or one for each direction, as hearsay has. 0 if it failed.
double bare_tcp_exchange_seconds(const ForeignNetwork& network, PeerId hosts, std::size_t bytes,
                                 int iterations, int connections_per_link);

}  // namespace hearsay

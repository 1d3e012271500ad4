#include "runtime/network/pace.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cstdint>

namespace hearsay {

namespace {

/// Of two full Ethernet frames, which one acknowledgement answers: their payload, and what they take on the
/// wire beside one acknowledgement. The kernel counts payload alone.
constexpr double payload_bytes = 2 * 1448;
constexpr double bytes_on_the_wire = 2 * 1514 + 66;

}  // namespace

Bandwidth payload_rate(Bandwidth port) { return {port.bytes_per_s * payload_bytes / bytes_on_the_wire}; }

void pace(int socket, Bandwidth rate) {
  const auto bytes_per_s = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(rate.bytes_per_s));
  setsockopt(socket, SOL_SOCKET, SO_MAX_PACING_RATE, &bytes_per_s, sizeof bytes_per_s);
}

}  // namespace hearsay

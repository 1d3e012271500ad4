#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "runtime/network/link.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

// How long messages take on the emulated network if nothing else is on it, known before a run: what its links
// and ports (link.hpp) make of them, without jitter and losses. A bandwidth trace counts as its mean. A
// message of `frame_bytes`, header and payload, leaves at the start of the run.

/// Returns when one message is there: latency + max(b / up, b / own, b / down).
Duration message_time(const RunSettings& settings, PeerId from, PeerId to, std::uint64_t frame_bytes);

/// Returns how long the slowest of the two ports and the link works at one message: b / up, b / own or
/// b / down. A second message that follows at once is there so much later.
Duration busy_time(const RunSettings& settings, PeerId from, PeerId to, std::uint64_t frame_bytes);

/// Returns when one message of each of the peers 0 to `senders` - 1 is there. `to` is none of them.
Duration gathering_time(const RunSettings& settings, PeerId senders, PeerId to, std::uint64_t frame_bytes);

/// Returns when a message to each of the peers 0 to `receivers` - 1 is there. `from` is none of them.
Duration spreading_time(const RunSettings& settings, PeerId from, PeerId receivers,
                        std::uint64_t frame_bytes);

/// Returns how long the port of a peer is busy with a message that it sends, or receives.
Duration sending_time(const RunSettings& settings, PeerId peer, std::uint64_t frame_bytes);
Duration receiving_time(const RunSettings& settings, PeerId peer, std::uint64_t frame_bytes);

/// The ports of the peers 0 to `peers` - 1, which start idle.
class Ports {
 public:
  Ports(const RunSettings& settings, PeerId peers);
  /// Hands a message to the port of `from`, and returns when it is due.
  Instant send(Instant now, PeerId from, PeerId to, std::uint64_t frame_bytes);
  /// Returns when a message is there that is due at `due`. Must be called in the order of due times.
  Instant release(Instant due, PeerId from, PeerId to, std::uint64_t frame_bytes);

 private:
  const RunSettings& settings_;
  std::vector<EgressPort> sending_;
  std::vector<IngressPort> receiving_;
  std::map<std::pair<PeerId, PeerId>, Link> narrow_;  // links with a bandwidth of their own that were used
};

/// Returns the settings without bandwidth traces: ports that have one are unlimited. So the times above are
/// the least ones, whatever a trace says.
RunSettings without_traces(RunSettings settings);

}  // namespace hearsay

#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "runtime/settings/run_settings.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What a peer does in a step: it sends a message if the step has a receiver, and then waits for the message
/// of the same step from another peer, if it has a sender.
struct ExchangeStep {
  std::optional<PeerId> to;
  std::optional<PeerId> from;
  std::uint64_t frame_bytes = 0;
};

/// Returns the seconds until the peers 0 to `peers` - 1 have gone through all their steps, one after the
/// other, on the emulated network: with their ports and links (link.hpp), but without jitter and losses. A
/// bandwidth trace counts as its mean. Every message is looked at: O(m log m) for m of them.
double exchange_seconds(const RunSettings& settings, PeerId peers, std::uint32_t steps,
                        const std::function<ExchangeStep(PeerId, std::uint32_t step)>& step_of);

}  // namespace hearsay

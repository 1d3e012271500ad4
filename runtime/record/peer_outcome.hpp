#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/peer/peer.hpp"
#include "runtime/record/outcome.hpp"

namespace hearsay {

/// Returns what is recorded of a peer when the run is over. `congestions`: as in PeerOutcome.
template <class Scalar>
PeerOutcome peer_outcome(Peer<Scalar>& peer, PeerMeters meters, std::uint64_t peak_memory_bytes,
                         std::vector<std::string> congestions = {}) {
  const Neighborhood* const neighborhood = peer.neighborhood();
  return {peer.iteration(),
          std::move(meters),
          digest(peer.model()),
          peer.digests(),
          peak_memory_bytes,
          peer.divergence(),
          neighborhood ? neighborhood->partings() : std::vector<Parting>(),
          peer.standby_hub() ? peer.standby_hub()->took_over_in() : std::nullopt,
          std::move(congestions)};
}

}  // namespace hearsay

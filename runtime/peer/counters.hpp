#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hearsay {

/// What a peer counts about itself.
struct PeerCounters {
  std::uint64_t gradient_evaluations = 0;  ///< samples whose gradient was taken
  std::uint64_t gossip_rounds = 0;         ///< completed waits for messages, one after the other
  std::uint64_t late = 0;  ///< messages of an iteration that is over, or that nobody asked for
  std::uint64_t duplicate = 0;
  std::uint64_t overflow = 0;  ///< messages beyond the inbox's bound
  // Of asynchronous methods. No update is lost: over all peers of a run that ended well, the two are equal.
  std::uint64_t exchanges_asked = 0;     ///< requests of this peer that were answered
  std::uint64_t exchanges_answered = 0;  ///< requests of others that this peer answered
  // Of methods that keep replicas, where links are fixed (replica_watch.hpp).
  std::uint64_t digests_compared = 0;  ///< of replicas, with what their owners say
  std::uint64_t digests_differed = 0;  ///< among those
  std::uint64_t resyncs = 0;       ///< replicas that were replaced by a copy of what their owner published
  std::uint64_t unfit_copies = 0;  ///< copies that no replica can become
};

struct PeerCounterRow {
  const char* name;  ///< in records
  std::uint64_t PeerCounters::*member;
};

/// All counters: checkpoints hold them in this order, records by these names.
inline constexpr std::array peer_counter_rows = {
    PeerCounterRow{"gradient_evaluations", &PeerCounters::gradient_evaluations},
    PeerCounterRow{"gossip_rounds", &PeerCounters::gossip_rounds},
    PeerCounterRow{"late", &PeerCounters::late},
    PeerCounterRow{"duplicate", &PeerCounters::duplicate},
    PeerCounterRow{"overflow", &PeerCounters::overflow},
    PeerCounterRow{"exchanges_asked", &PeerCounters::exchanges_asked},
    PeerCounterRow{"exchanges_answered", &PeerCounters::exchanges_answered},
    PeerCounterRow{"digests_compared", &PeerCounters::digests_compared},
    PeerCounterRow{"digests_differed", &PeerCounters::digests_differed},
    PeerCounterRow{"resyncs", &PeerCounters::resyncs},
    PeerCounterRow{"unfit_copies", &PeerCounters::unfit_copies},
};
static_assert(sizeof(PeerCounters) == peer_counter_rows.size() * sizeof(std::uint64_t));

/// So many rows, the first ones, count work; the others count what became of messages and replicas.
inline constexpr std::size_t work_counter_count = 2;

}  // namespace hearsay

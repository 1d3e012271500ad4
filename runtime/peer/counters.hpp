#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace hearsay {

/// What a peer counts about itself.
struct PeerCounters {
  std::uint64_t gradient_evaluations = 0;  ///< samples whose gradient was taken
  std::uint64_t gossip_rounds = 0;         ///< waits for messages that were completed
  std::uint64_t late = 0;  ///< messages dropped: their iteration is over, their edge is out, or unasked for
  std::uint64_t duplicate = 0;
  std::uint64_t overflow = 0;  ///< messages dropped, since the inbox's bound for their sender was reached
  // Asynchronous methods. Summed over all peers of a run that ended well, the two are equal: no update is
  // lost.
  std::uint64_t exchanges_asked = 0;     ///< requests of this peer that were answered
  std::uint64_t exchanges_answered = 0;  ///< requests of others that this peer answered
  // Methods that keep replicas, if links are fixed (replica_watch.hpp).
  std::uint64_t digests_compared = 0;  ///< digests of replicas that were compared with those of their owners
  std::uint64_t digests_differed = 0;  ///< how many of these differed
  std::uint64_t resyncs = 0;       ///< replicas that were overwritten by a copy of what their owner published
  std::uint64_t unfit_copies = 0;  ///< copies that were refused: no such replica, wrong length, not finite
};

struct PeerCounterRow {
  const char* name;  ///< as records call the counter
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

/// The first so many rows count work; the others count what became of messages and replicas.
inline constexpr std::size_t work_counter_count = 2;

}  // namespace hearsay

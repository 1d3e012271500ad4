#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/record/outcome.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What an evaluation says of the meters of a peer: a quarter of them, since there may be many peers.
struct ToldMeters {
  Duration now{0};
  Duration compute{0};
  Duration wait{0};
  Duration wire{0};
  std::uint64_t bytes_sent = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t gradient_evaluations = 0;
  std::uint64_t gossip_rounds = 0;
};
inline ToldMeters told_meters(const PeerMeters& meters) {
  return {meters.now,
          meters.compute,
          meters.wait,
          meters.wire,
          meters.bytes_sent,
          meters.messages_sent,
          meters.counters.gradient_evaluations,
          meters.counters.gossip_rounds};
}

/// The newest meters of every peer, and what they come to together. A peer that has joined begins at 0; the
/// counts of its predecessor are added to its own.
class MeterReadings {
 public:
  explicit MeterReadings(PeerId peer_count) : last_(peer_count), before_(peer_count) {}

  /// Peer `peer` tells its meters with an evaluation.
  void note(PeerId peer, PeerMeters meters);
  /// A new peer takes the place of peer `peer`.
  void begin_anew(PeerId peer);
  /// The newest of each peer, by id.
  const std::vector<PeerMeters>& last() const { return last_; }

  /// From now on meters are forgotten once they are evaluated: for runs in which every peer tells its own
  /// with each evaluation, and nobody joins.
  void keep_none() {
    keeps_newest_ = false;
    last_.clear();
    last_.shrink_to_fit();
  }

  /// Returns the part of the evaluation at `iteration` that the meters say. `told`, by peer, came with it; of
  /// a peer that told none, its newest count.
  Evaluation together(std::uint64_t iteration, const std::vector<std::optional<ToldMeters>>& told) const;

 private:
  struct Counts {
    std::uint64_t bytes_sent = 0;
    std::uint64_t messages_sent = 0;
    std::uint64_t gradient_evaluations = 0;
  };

  bool keeps_newest_ = true;
  std::vector<PeerMeters> last_;
  std::vector<Counts> before_;  // of the earlier processes of a peer that has joined
};

}  // namespace hearsay

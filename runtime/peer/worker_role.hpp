#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/peer/gossip_role.hpp"

namespace hearsay {

/// A worker of a hub. If the hub has a standby (failure.hub_standby), the worker knows who is the hub now
/// (hub_seat.hpp), and the standby has whatever the hub can have counted.
class WorkerRole : public GossipRole {
 public:
  struct Rules {
    bool rounds_close;
    std::optional<PeerId> standby;  ///< another worker
  };
  WorkerRole(PeerId hub, const Rules& rules, const Neighborhood* edges)
      : GossipRole(edges), hub_(hub), rounds_close_(rules.rounds_close) {
    if (rules.standby) seat_ = std::make_unique<HubSeat>(*rules.standby);
  }

  std::optional<PeerId> hub() const { return has_moved() ? seat_->standby() : hub_; }
  bool survives_hub() const { return seat_ && !has_moved() && seat_->has_standby(); }
  bool awaits_standby() const {
    return seat_ && seat_->phase() == HubSeat::Phase::vacant && seat_->has_standby();
  }
  bool hears_claim(std::uint64_t completed) const {
    return seat_ && !has_moved() && seat_->holds_claim_beyond(completed);
  }
  bool deals_with(PeerId other) const { return edges_->knows(other) || is_standby(other); }
  bool has_lost(PeerId other) const;
  NeighborLoss lose(PeerId neighbor);

  /// True if the hub has begun a round after `round`: an answer would be in vain.
  bool is_over(std::uint64_t round, const Inbox& inbox) const {
    return rounds_close_ && inbox.has_beyond(hub_, round);
  }
  /// Sends an answer to the standby first, and then to the hub. So the standby has whatever the hub can have
  /// counted, if this peer lives.
  void post(Outgoing message, std::vector<Outgoing>& outbox) const;
  Hearing hear(MessageKey& key, const PacketRef& packet, const MessageMetadata& metadata,
               std::uint64_t completed);

 private:
  bool is_standby(PeerId other) const { return seat_ && seat_->standby() == other; }
  bool has_moved() const { return seat_ && seat_->phase() != HubSeat::Phase::first; }

  PeerId hub_;  // the one that the run began with
  bool rounds_close_;
  std::unique_ptr<HubSeat> seat_;  // if the hub has a standby
};

}  // namespace hearsay

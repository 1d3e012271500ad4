#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/peer/hub_seat.hpp"
#include "runtime/peer/inbox.hpp"
#include "runtime/peer/neighborhood.hpp"
#include "runtime/peer/outgoing.hpp"

namespace hearsay {

/// What becomes of a message that has come.
enum class Hearing {
  of_the_method,  ///< it is for the method; its key names the hub by the first id
  kept,           ///< for the second hub, or until the hub is lost
  late,           ///< of no use
  contradiction,  ///< hub and standby have said different things
};

/// What the loss of a neighbor is for the method.
struct NeighborLoss {
  std::optional<PeerId> neighbor;           ///< the id under which the method loses it; empty: it does not
  std::vector<HubSeat::Claim> claims = {};  ///< what the standby, which is the hub now, has said already
};

/// A peer among equals, in rounds. The other roles are the same but for the functions that they have, too.
class GossipRole {
 public:
  /// `edges` must outlive this object; null under policy "wait".
  explicit GossipRole(const Neighborhood* edges) : edges_(edges) {}

  /// The hub with which this peer trains now, itself if it is that hub; empty: there is none.
  std::optional<PeerId> hub() const { return std::nullopt; }
  /// True if the hub may be lost: a standby takes over.
  bool survives_hub() const { return false; }
  /// True if the hub is lost, and the standby has not spoken yet.
  bool awaits_standby() const { return false; }
  /// True if the standby says that it has taken over in a round after `completed`, and this peer has not lost
  /// the hub.
  bool hears_claim(std::uint64_t /*completed*/) const { return false; }

  // Policy "drop".

  /// True if this peer exchanges messages with `other`, so that its loss matters here.
  bool deals_with(PeerId other) const { return edges_->knows(other); }
  /// Of a peer that this one deals with.
  bool has_lost(PeerId other) const { return edges_->is_lost(other); }
  NeighborLoss lose(PeerId neighbor) { return {neighbor}; }

  // Messages of the method.

  void post(Outgoing message, std::vector<Outgoing>& outbox) { outbox.push_back(std::move(message)); }
  /// Hears a message, after `completed` iterations.
  Hearing hear(MessageKey& /*key*/, const PacketRef&, const MessageMetadata&, std::uint64_t /*completed*/) {
    return Hearing::of_the_method;
  }

 protected:
  const Neighborhood* edges_;
};

}  // namespace hearsay

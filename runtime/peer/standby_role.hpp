#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/peer/gossip_role.hpp"
#include "runtime/peer/standby_hub.hpp"

namespace hearsay {

/// The worker that stands by for its hub: it keeps a second hub ready (standby_hub.hpp), which hears what the
/// hub hears, and serves once this worker has lost the hub.
template <class Scalar>
class StandbyRole : public GossipRole {
 public:
  StandbyRole(PeerId self, PeerId hub, std::unique_ptr<StandbyHub<Scalar>> second, const Neighborhood* edges)
      : GossipRole(edges), self_(self), hub_(hub), second_(std::move(second)) {}

  StandbyHub<Scalar>& second_hub() const { return *second_; }

  std::optional<PeerId> hub() const { return has_taken_over() ? self_ : hub_; }
  bool survives_hub() const { return !has_taken_over() && !second_->is_dismissed(); }
  bool deals_with(PeerId other) const { return other != self_; }
  bool has_lost(PeerId other) const {
    if (other != hub_) return second_->has_lost(other);
    return has_taken_over() || edges_->is_lost(other);
  }
  NeighborLoss lose(PeerId neighbor);

  /// The second hub has the answer of its own worker at once.
  void post(Outgoing message, std::vector<Outgoing>& outbox) const;
  Hearing hear(MessageKey& key, const PacketRef& packet, const MessageMetadata& metadata,
               std::uint64_t completed) const;
  /// Lets the second hub go on. What it says to others is put into `outbox`; what it says to this peer, into
  /// `inbox`.
  void attend(std::uint64_t completed, Inbox& inbox, std::vector<Outgoing>& outbox) const;

 private:
  bool has_taken_over() const { return second_->took_over_in().has_value(); }

  PeerId self_;
  PeerId hub_;  // the one that the run began with
  std::unique_ptr<StandbyHub<Scalar>> second_;
};

}  // namespace hearsay

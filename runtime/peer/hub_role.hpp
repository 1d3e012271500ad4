#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/compression/seam/packet.hpp"
#include "runtime/peer/gossip_role.hpp"
#include "topology/mixing_row.hpp"

namespace hearsay {

/// The hub of a run. It may close a round without those who have not answered, or have a standby, which it
/// tells whose answers it has counted (failure.hub_standby).
class HubRole : public GossipRole {
 public:
  struct Rules {
    bool rounds_close;
    std::optional<PeerId> standby;
  };
  HubRole(PeerId self, const Rules& rules, const Neighborhood* edges)
      : GossipRole(edges), self_(self), rules_(rules) {}

  std::optional<PeerId> hub() const { return self_; }
  bool closes_rounds() const { return rules_.rounds_close; }
  /// The row of W of a round that is closed, without the workers that are not in `answered`, ascending. Valid
  /// until the next call.
  const MixingRow& row_of(const MixingRow& round, std::span<const PeerId> answered) {
    answered_row_ = std::make_unique<MixingRow>(round);
    std::erase_if(answered_row_->hears, [&](const WeightedNeighbor& heard) {
      return !std::ranges::binary_search(answered, heard.id);
    });
    return *answered_row_;
  }

  /// Tells the standby, if there is one, whose answers were counted in the iteration.
  void tell_roster(std::uint64_t iteration, const MixingRow& row, PacketPool& packets,
                   std::vector<Outgoing>& outbox) const;
  /// True if `neighbor` is the standby, and was not lost here. If it takes this peer for gone, it has taken
  /// over.
  bool is_replaced_by(PeerId neighbor) const { return rules_.standby == neighbor && !has_lost(neighbor); }
  /// True if the hub has a standby, and all workers have left.
  bool is_deserted() const { return rules_.standby && edges_->all_are_lost(); }

 private:
  PeerId self_;
  Rules rules_;
  std::unique_ptr<MixingRow> answered_row_;  // of the round that was closed last
};

}  // namespace hearsay

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/peer/hub_seat.hpp"
#include "runtime/peer/inbox.hpp"
#include "runtime/peer/neighborhood.hpp"
#include "runtime/peer/outgoing.hpp"
#include "runtime/peer/peer_input.hpp"
#include "topology/mixing_row.hpp"

namespace hearsay {

/// What becomes of a message under a hub with a standby.
enum class Hearing {
  of_the_hub,     ///< it is for the method; its key names the hub by the first id
  kept,           ///< for the second hub, or until the hub is lost
  late,           ///< of no use
  contradiction,  ///< hub and standby have said different things
};

/// A peer's part in the succession of a hub that has a standby (failure.hub_standby): the roster, which the
/// hub tells the standby; who is the hub, as a worker knows it (HubSeat); the second hub, which the standby
/// keeps ready (StandbyHub). Does nothing in other runs.
template <class Scalar>
class HubSuccession {
 public:
  /// `input` must outlive this object.
  explicit HubSuccession(const PeerInput<Scalar>& input) : input_(input) {
    if (input.standby && input.hub) seat_.emplace(*input.standby);
  }

  /// Null if this peer is no standby.
  StandbyHub<Scalar>* second_hub() const { return input_.standby_hub.get(); }
  /// The hub with which this worker trains, or will once the standby has taken over. Empty: no worker.
  std::optional<PeerId> hub() const { return has_moved() ? seat_->standby() : input_.hub; }
  /// True if the hub may be lost: a standby takes over.
  bool survives_hub() const;
  /// True if the hub is lost, and the standby has not spoken yet.
  bool awaits_standby() const;
  /// True if the standby says that it has taken over in a round after `completed`, and this worker has not
  /// lost the hub.
  bool hears_claim(std::uint64_t completed) const;
  /// True if this peer exchanges messages with `other`, so that its loss matters here.
  bool deals_with(PeerId other, const Neighborhood& neighborhood) const;
  bool has_lost(PeerId other, const Neighborhood& neighborhood) const;
  /// The neighbor is lost. Returns under which id the method has lost a neighbor; empty if it has not.
  /// `claims` gets what the standby has said already.
  std::optional<PeerId> lose(PeerId neighbor, std::vector<HubSeat::Claim>& claims);

  /// Sends a message: an answer goes to the standby first, and then to the hub. So the standby has whatever
  /// the hub can have counted, if its sender lives.
  void post(const Outgoing& message, std::vector<Outgoing>& outbox) const;
  /// The hub tells its standby whose answers it has counted in the iteration.
  void tell_roster(std::uint64_t iteration, const MixingRow& row, const Neighborhood& neighborhood,
                   std::vector<Outgoing>& outbox) const;

  /// Hears a message, after `completed` iterations.
  Hearing hear(MessageKey& key, const PacketRef& packet, const MessageMetadata& metadata,
               std::uint64_t completed);

  /// Lets the second hub go on, if there is one. What it says to others is put into `outbox`; what it says to
  /// this peer, into `inbox`.
  void attend(std::uint64_t completed, Inbox& inbox, std::vector<Outgoing>& outbox) const;
  /// True if the iteration is over at the second hub, too, or there is none.
  bool keeps_up(std::uint64_t iteration) const {
    return !second_hub() || second_hub()->has_completed(iteration);
  }

 private:
  MessageKey copied_key(MessageKey key) const;
  bool has_moved() const { return seat_ && seat_->phase() != HubSeat::Phase::first; }

  const PeerInput<Scalar>& input_;
  std::optional<HubSeat> seat_;  // of a worker whose hub has a standby
};

}  // namespace hearsay

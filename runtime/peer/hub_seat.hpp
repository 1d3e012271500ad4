#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/peer/outgoing.hpp"

namespace hearsay {

/// Who is the hub, as a worker knows it, in a run whose hub has a standby (failure.hub_standby):
///
///     first    the hub that the run began with. Answers go to the standby, then to the hub.
///     vacant   the hub is lost. Answers go to the standby, which is to take over.
///     second   the standby is the hub.
///
/// A worker believes its own ears: as long as it hears the hub, what the standby says as a hub is a claim,
/// and waits here. So a standby that alone cannot hear the hub takes nobody along.
///
/// The worker's method knows one hub, under one id, whoever it is.
class HubSeat {
 public:
  explicit HubSeat(PeerId standby) : standby_(standby) {}

  enum class Phase { first, vacant, second };
  Phase phase() const { return phase_; }
  PeerId standby() const { return standby_; }
  /// True if the standby is there and may take over, or has.
  bool has_standby() const { return !standby_is_lost_; }

  /// A message of the standby as a hub, while the first hub is there.
  struct Claim {
    MessageKey key;
    PacketRef packet;
    MessageMetadata metadata;
  };
  void hold(Claim claim) {
    std::erase_if(claims_, [&](const Claim& held) { return held.key.iteration < claim.key.iteration; });
    if (claims_.size() < most_claims) claims_.push_back(std::move(claim));
  }
  /// True if the standby speaks as the hub in a round after `iteration`.
  bool holds_claim_beyond(std::uint64_t iteration) const {
    return !claims_.empty() && claims_.front().key.iteration > iteration;
  }
  /// The first hub is lost; the standby is there. Returns what it has said.
  std::vector<Claim> vacate() {
    phase_ = Phase::vacant;
    return std::exchange(claims_, {});
  }
  /// The standby speaks as the hub.
  void follow_standby() { phase_ = Phase::second; }
  void lose_standby() { standby_is_lost_ = true; }

  /// Notes a message of the hub, whoever that is. False if the other hub has said something else in its
  /// place: then they have counted different answers, and their models differ.
  bool agrees(const MessageKey& key, const PacketRef& packet) {
    const bool is_same_message = last_ && key_.iteration == key.iteration && key_.slot == key.slot;
    if (is_same_message) return same_bytes(last_->bytes(), packet->bytes());
    key_ = key;
    last_ = packet;
    return true;
  }

  /// Bytes at the same place are not read: those of a run that is only played have no memory.
  static bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
    return a.size() == b.size() && (a.data() == b.data() || std::ranges::equal(a, b));
  }

 private:
  static constexpr std::size_t most_claims = 16;  // a round has fewer messages

  PeerId standby_;
  Phase phase_ = Phase::first;
  bool standby_is_lost_ = false;
  MessageKey key_{};
  std::vector<Claim> claims_;  // of one round
  PacketRef last_;             // the hub's last message, under `key_`
};

/// The slot of a roster: after each round the hub tells its standby whose answers it has counted, as 32-bit
/// ids, ascending.
inline constexpr Slot roster_slot = 0xffff'fffc;

}  // namespace hearsay

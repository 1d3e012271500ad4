#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "runtime/peer/divergence.hpp"
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
    if (!is_as_heard(claim.key, claim.packet)) contradicted_ = true;
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

  /// Notes a message of the hub, whoever that is. False if this worker turns to the standby, or has turned to
  /// it, and the other hub has said something else in its place: then they have counted different answers,
  /// and their models differ.
  bool agrees(const MessageKey& key, const PacketRef& packet) {
    if (!is_as_heard(key, packet)) contradicted_ = true;
    for (const Claim& claim : claims_)
      if (is_same_message(claim.key, key) && !same_bytes(claim.packet->bytes(), packet->bytes()))
        contradicted_ = true;
    key_ = key;
    last_ = packet;
    return phase_ == Phase::first || !contradicted_;
  }
  static Divergence contradiction_in(std::uint64_t iteration) {
    return {iteration,
            "the hub and its standby have counted different answers, since a worker was lost in the round in "
            "which the hub was",
            true};
  }

  /// Bytes at the same place are not read: those of a run that is only played have no memory.
  static bool same_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
    return a.size() == b.size() && (a.data() == b.data() || std::ranges::equal(a, b));
  }

 private:
  static bool is_same_message(const MessageKey& a, const MessageKey& b) {
    return a.iteration == b.iteration && a.slot == b.slot;
  }
  /// True unless the other hub has said something else in the place of this message, the last one.
  bool is_as_heard(const MessageKey& key, const PacketRef& packet) const {
    return !last_ || !is_same_message(key_, key) || same_bytes(last_->bytes(), packet->bytes());
  }

  static constexpr std::size_t most_claims = 16;  // a round has fewer messages

  PeerId standby_;
  Phase phase_ = Phase::first;
  bool standby_is_lost_ = false;
  MessageKey key_{};
  std::vector<Claim> claims_;  // of one round
  bool contradicted_ = false;  // at some time the two hubs have said different things
  PacketRef last_;             // the hub's last message, under `key_`
};

/// The slot of a roster: after each round the hub tells its standby whose answers it has counted, as 32-bit
/// ids, ascending.
inline constexpr Slot roster_slot = 0xffff'fffc;
/// Set in the slot of an answer to the standby that is a copy of one to the first hub.
inline constexpr Slot copy_of_answer = 0x8000'0000;

}  // namespace hearsay

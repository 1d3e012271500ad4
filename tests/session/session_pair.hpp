#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "runtime/session/peer_session.hpp"

namespace hearsay::test {

/// Two sessions, each a neighbor of the other, whose messages of more than 8 bytes travel in pieces. The test
/// carries their frames.
struct SessionPair {
  static constexpr std::size_t piece_bytes = 8;

  explicit SessionPair(bool paced, std::size_t longest)
      : is_paced_by_receiver(paced), longest_message_bytes(longest) {}

  PeerSessionInput input(PeerId self, std::uint32_t incarnation) {
    return {.self = self,
            .incarnation = incarnation,
            .agreement = Agreement{{{"run.seed", "1"}}},
            .iterations = 100,
            .sources = {1 - self},
            .destinations = {1 - self},
            .addresses = {"tcp://there"},
            .same_machine = true,
            .asynchronous = false,
            .start_patience = std::chrono::minutes(1),
            .heartbeat = std::chrono::seconds(2),
            .piece_bytes = piece_bytes,
            .paced_by_receiver = is_paced_by_receiver,
            .longest_message_bytes = longest_message_bytes,
            .packets = &packets};
  }
  /// The bytes 1, 2, 3, ...
  static PacketRef message(std::size_t bytes) {
    std::vector<std::byte> content(bytes);
    for (std::size_t k = 0; k < bytes; ++k) content[k] = static_cast<std::byte>(k + 1);
    return packet_with(std::move(content));
  }
  /// Carries what both say until they say nothing more. `hear(header, payload)`: what peer 0 says to peer 1,
  /// its destination. `passes(sender, word)` is false for a word that is lost.
  template <class Hear, class Passes>
  void carry(const Hear& hear, const Passes& passes) {
    while (!zero.outbox().empty() || !one.outbox().empty()) {
      for (const PeerFrame& word : std::exchange(zero.outbox(), {})) {
        const auto payload = word.packet ? word.packet.bytes() : word.payload.bytes();
        if (!passes(0, word)) continue;
        if (word.way == PeerFrame::Way::outlet) hear(word.header, payload);
        if (word.way == PeerFrame::Way::reply) one.hear_destination(0, word.header, payload);
      }
      for (const PeerFrame& word : std::exchange(one.outbox(), {})) {
        if (!passes(1, word)) continue;
        if (word.way == PeerFrame::Way::outlet) zero.hear_source(word.header, word.payload, now);
        if (word.way == PeerFrame::Way::reply) zero.hear_destination(1, word.header, word.payload);
      }
    }
  }

  bool is_paced_by_receiver;
  std::size_t longest_message_bytes;
  PacketPool packets = {};
  Instant now{};
  PeerSession zero{input(0, 70)};
  PeerSession one{input(1, 80)};
};

}  // namespace hearsay::test

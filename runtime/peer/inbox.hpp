#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/compression/seam/packet.hpp"
#include "algorithms/seam/iteration.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What a data message is known by.
struct MessageKey {
  std::uint64_t iteration;
  Slot slot;
  PeerId sender;
  bool operator==(const MessageKey&) const = default;
};

/// What the header of a data message says beside it.
struct MessageMarks {
  /// Policy "drop": the sender's degree from the next iteration on; of an attachment (attach_slot), from this
  /// one on. Else 0.
  std::uint32_t degree = 0;
  /// Of what its sender had published before that iteration (replica_watch.hpp); 0: none.
  std::uint32_t replica_digest = 0;
};

/// Keeps the messages that came before they were asked for: neighbors legitimately run ahead. A message of
/// another iteration never reaches a method. Bounded: a sender can have so many messages waiting here, more
/// than any synchronous method lets it run ahead.
class Inbox {
 public:
  /// In a gossip exchange a neighbor is an iteration ahead at most; in a ring all-reduce it can be n - 1
  /// slots ahead. With staleness s it can be s iterations further ahead, and what it said in the last s is
  /// still to come.
  static std::size_t limit_per_sender(PeerId peer_count, std::uint64_t staleness) {
    return 64 + 4 * std::size_t{peer_count} + 2 * static_cast<std::size_t>(staleness);
  }

  explicit Inbox(PeerId peer_count, std::uint64_t staleness = 0)
      : limit_(limit_per_sender(peer_count, staleness)) {}

  enum class Filing { filed, duplicate, overflow };
  Filing file(const MessageKey& key, PacketRef packet);
  /// The message, which is then no longer here; empty if it has not come. What the same sender left here
  /// for iterations before this one is dropped.
  PacketRef take(const MessageKey& key);
  std::size_t size() const { return size_; }

  struct Message {
    MessageKey key;
    PacketRef packet;
  };
  /// What waits here for iterations after `iteration`, by sender.
  std::vector<Message> waiting_beyond(std::uint64_t iteration) const;

 private:
  struct Waiting {
    std::uint64_t iteration;
    Slot slot;
    PacketRef packet;
  };
  struct Sender {
    PeerId id;
    std::vector<Waiting> waiting;  // ascending (iteration, slot), as links deliver them
  };
  std::vector<Sender>::iterator find(PeerId sender);

  std::size_t limit_;
  std::vector<Sender> senders_;  // ascending id; those that ever sent
  std::size_t size_ = 0;
};

}  // namespace hearsay

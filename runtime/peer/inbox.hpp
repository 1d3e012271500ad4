#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/compression/seam/packet.hpp"
#include "algorithms/seam/iteration.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Identifies a data message to one peer.
struct MessageKey {
  std::uint64_t iteration;
  Slot slot;
  PeerId sender;
  bool operator==(const MessageKey&) const = default;
};

/// What a data message carries in its header beside its key.
struct MessageMetadata {
  /// Policy "drop": the sender's degree from the next iteration on; in a message of attach_slot, from this
  /// iteration on. Or, if members agree on who they are, the number of their view. 0 under policy "wait".
  std::uint32_t degree = 0;
  /// Digest of what the sender had published before the message's iteration (replica_watch.hpp); 0: none.
  std::uint32_t replica_digest = 0;
  /// The length of a message that the method has taken in piece by piece; its packet is empty.
  std::size_t taken_bytes = 0;
};

/// Keeps messages that came before the method asked for them: neighbors may run ahead. A method gets only the
/// messages of the iteration and slot that it asks for. Bounded: each sender can have `limit_per_sender`
/// messages here, more than any synchronous method lets a neighbor run ahead.
class Inbox {
 public:
  /// The bound. In gossip a neighbor is at most one iteration ahead; in a ring all-reduce, at most n - 1
  /// slots. With staleness s a neighbor can be s iterations further ahead, and its messages of the last s
  /// iterations are still waiting.
  static std::size_t limit_per_sender(PeerId peer_count, std::uint64_t staleness) {
    return 64 + 4 * std::size_t{peer_count} + 2 * static_cast<std::size_t>(staleness);
  }

  explicit Inbox(PeerId peer_count, std::uint64_t staleness = 0)
      : limit_(limit_per_sender(peer_count, staleness)) {}

  enum class Filing { filed, duplicate, overflow };
  Filing file(const MessageKey& key, PacketRef packet);
  /// True if the message waits here.
  bool has(const MessageKey& key) const;
  /// Removes and returns the message; null if it has not come. Drops the sender's messages of earlier
  /// iterations.
  PacketRef take(const MessageKey& key);
  /// True if a message of `sender` waits that is of a later iteration than `iteration`.
  bool has_beyond(PeerId sender, std::uint64_t iteration) const;
  std::size_t size() const { return size_; }

  struct Message {
    MessageKey key;
    PacketRef packet;
  };
  /// The messages of iterations after `iteration`, by ascending sender, iteration and slot.
  std::vector<Message> waiting_beyond(std::uint64_t iteration) const;

 private:
  struct Waiting {
    std::uint64_t iteration;
    Slot slot;
    PacketRef packet;
  };
  struct Sender {
    PeerId id;
    std::vector<Waiting> waiting;  // ascending (iteration, slot)
  };
  std::vector<Sender>::iterator find(PeerId sender);

  std::size_t limit_;
  std::vector<Sender> senders_;  // all that have ever sent, ascending id
  std::size_t size_ = 0;
};

}  // namespace hearsay

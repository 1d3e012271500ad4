#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/compression/packet.hpp"
#include "algorithms/iteration.hpp"
#include "topology/peer_id.hpp"

namespace hearsay {

/// What a data message is known by.
struct MessageKey {
  std::uint64_t iteration;
  Slot slot;
  PeerId sender;
  bool operator==(const MessageKey&) const = default;
};

/// Keeps the messages that came before they were asked for: neighbors legitimately run ahead. A message of another
/// iteration never reaches a method. Bounded: a sender can have at most `limit_per_sender` messages waiting here, more
/// than any synchronous method lets it run ahead.
class Inbox {
 public:
  static constexpr std::size_t limit_per_sender = 4096;

  enum class Filing { filed, duplicate, overflow };
  Filing file(const MessageKey& key, PacketRef packet);
  /// The message, which is then no longer here; empty where it has not come. What the same sender left here for
  /// iterations before this one is dropped.
  PacketRef take(const MessageKey& key);
  std::size_t size() const { return size_; }

 private:
  struct Waiting {
    std::uint64_t iteration;
    Slot slot;
    PacketRef packet;
  };
  struct Sender {
    PeerId id;
    std::vector<Waiting> waiting;
  };
  std::vector<Sender>::iterator find(PeerId sender);

  std::vector<Sender> senders_;  // ascending id; those that ever sent
  std::size_t size_ = 0;
};

}  // namespace hearsay

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/peer/inbox.hpp"

namespace hearsay {

/// The messages that a method waits for: one slot of one iteration, one message per sender.
class AwaitedPackets {
 public:
  /// Begins a new wait. `senders` is ascending.
  void begin(std::uint64_t iteration, Slot slot, std::span<const PeerId> senders);
  /// Takes the awaited messages that are in the inbox already.
  void take_from(Inbox& inbox);

  enum class Taking { taken, duplicate, not_awaited };
  /// Takes a message that has just come, if it is awaited.
  Taking take(const MessageKey& key, const PacketRef& packet);

  /// Removes the senders whose messages are missing and for whom `given_up(sender)` is true. Calls `given_up`
  /// in descending order of the senders. True if any sender was removed.
  template <class GivenUp>
  bool give_up(const GivenUp& given_up) {
    const std::size_t before = senders_.size();
    for (std::size_t k = senders_.size(); k-- > 0;)
      if (!packets_[k] && given_up(senders_[k])) remove(k);
    return senders_.size() != before;
  }

  /// Removes all senders whose messages are missing.
  void give_up_missing();

  bool complete() const { return missing_ == 0; }
  const std::vector<PeerId>& senders() const { return senders_; }
  /// One packet per sender, in the order of `senders()`; null if the message is missing.
  std::span<const PacketRef> packets() const { return packets_; }
  std::vector<PeerId> missing_senders() const;
  void forget_packets() { packets_.clear(); }

 private:
  void remove(std::size_t place);

  std::uint64_t iteration_ = 0;
  Slot slot_ = 0;
  std::vector<PeerId> senders_;
  std::vector<PacketRef> packets_;
  std::size_t missing_ = 0;
};

}  // namespace hearsay

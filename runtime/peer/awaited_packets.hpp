#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/peer/inbox.hpp"

namespace hearsay {

/// The messages that a method waits for: those of one slot of one iteration, in the order in which it names
/// their senders.
class AwaitedPackets {
 public:
  /// `senders` ascending, or a single one.
  void begin(std::uint64_t iteration, Slot slot, std::span<const PeerId> senders);
  /// Takes those that have come before.
  void take_from(Inbox& inbox);

  enum class Taking { taken, duplicate, not_awaited };
  Taking take(const MessageKey& key, const PacketRef& packet);

  /// Waits no longer for those missing senders of whom `given_up` says so; the last one is asked first.
  /// Whether there were any.
  template <class GivenUp>
  bool give_up(const GivenUp& given_up) {
    const std::size_t before = senders_.size();
    for (std::size_t k = senders_.size(); k-- > 0;)
      if (!packets_[k] && given_up(senders_[k])) remove(k);
    return senders_.size() != before;
  }

  bool complete() const { return missing_ == 0; }
  const std::vector<PeerId>& senders() const { return senders_; }
  /// In the order of the senders; null where one is missing.
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

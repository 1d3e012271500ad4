#include "runtime/peer/awaited_packets.hpp"

#include <algorithm>
#include <utility>

namespace hearsay {

void AwaitedPackets::begin(std::uint64_t iteration, Slot slot, std::span<const PeerId> senders) {
  iteration_ = iteration;
  slot_ = slot;
  senders_.assign(senders.begin(), senders.end());
  packets_.assign(senders.size(), {});
  missing_ = senders.size();
}

void AwaitedPackets::take_from(Inbox& inbox) {
  for (std::size_t k = 0; k < senders_.size(); ++k) {
    packets_[k] = inbox.take({iteration_, slot_, senders_[k]});
    if (packets_[k]) --missing_;
  }
}

AwaitedPackets::Taking AwaitedPackets::take(const MessageKey& key, const PacketRef& packet) {
  if (key.iteration != iteration_ || key.slot != slot_) return Taking::not_awaited;
  const auto sender = std::lower_bound(senders_.begin(), senders_.end(), key.sender);
  if (sender == senders_.end() || *sender != key.sender) return Taking::not_awaited;
  PacketRef& place = packets_[static_cast<std::size_t>(sender - senders_.begin())];
  if (place) return Taking::duplicate;
  place = packet;
  --missing_;
  return Taking::taken;
}

std::vector<PeerId> AwaitedPackets::missing_senders() const {
  std::vector<PeerId> missing;
  for (std::size_t k = 0; k < packets_.size(); ++k)
    if (!packets_[k]) missing.push_back(senders_[k]);
  return missing;
}

void AwaitedPackets::give_up_missing() {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < senders_.size(); ++k) {
    if (!packets_[k]) continue;
    senders_[kept] = senders_[k];
    packets_[kept++] = std::move(packets_[k]);
  }
  senders_.resize(kept);
  packets_.resize(kept);
  missing_ = 0;
}

void AwaitedPackets::remove(std::size_t place) {
  const auto k = static_cast<std::ptrdiff_t>(place);
  senders_.erase(senders_.begin() + k);
  packets_.erase(packets_.begin() + k);
  --missing_;
}

}  // namespace hearsay

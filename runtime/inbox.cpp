#include "runtime/inbox.hpp"

#include <algorithm>

namespace hearsay {

std::vector<Inbox::Sender>::iterator Inbox::find(PeerId sender) {
  return std::lower_bound(senders_.begin(), senders_.end(), sender,
                          [](const Sender& candidate, PeerId id) { return candidate.id < id; });
}

Inbox::Filing Inbox::file(const MessageKey& key, PacketRef packet) {
  auto sender = find(key.sender);
  if (sender == senders_.end() || sender->id != key.sender)
    sender = senders_.insert(sender, {key.sender, {}});
  for (const Waiting& waiting : sender->waiting)
    if (waiting.iteration == key.iteration && waiting.slot == key.slot) return Filing::duplicate;
  if (sender->waiting.size() == limit_per_sender) return Filing::overflow;
  sender->waiting.push_back({key.iteration, key.slot, std::move(packet)});
  ++size_;
  return Filing::filed;
}

PacketRef Inbox::take(const MessageKey& key) {
  const auto sender = find(key.sender);
  if (sender == senders_.end() || sender->id != key.sender) return {};
  PacketRef packet;
  for (std::size_t k = 0; k < sender->waiting.size();) {
    Waiting& waiting = sender->waiting[k];
    const bool asked_for = waiting.iteration == key.iteration && waiting.slot == key.slot;
    if (!asked_for && waiting.iteration >= key.iteration) {
      ++k;
      continue;
    }
    if (asked_for) packet = std::move(waiting.packet);
    if (&waiting != &sender->waiting.back()) waiting = std::move(sender->waiting.back());
    sender->waiting.pop_back();
    --size_;
  }
  return packet;
}

}  // namespace hearsay

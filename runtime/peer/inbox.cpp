#include "runtime/peer/inbox.hpp"

#include <algorithm>

namespace hearsay {

namespace {

template <class Waiting>
bool before(const Waiting& waiting, const MessageKey& key) {
  return waiting.iteration != key.iteration ? waiting.iteration < key.iteration : waiting.slot < key.slot;
}

}  // namespace

std::vector<Inbox::Sender>::iterator Inbox::find(PeerId sender) {
  return std::lower_bound(senders_.begin(), senders_.end(), sender,
                          [](const Sender& candidate, PeerId id) { return candidate.id < id; });
}

Inbox::Filing Inbox::file(const MessageKey& key, PacketRef packet) {
  auto sender = find(key.sender);
  if (sender == senders_.end() || sender->id != key.sender)
    sender = senders_.insert(sender, {key.sender, {}});
  std::vector<Waiting>& waiting = sender->waiting;
  const auto place = std::lower_bound(waiting.begin(), waiting.end(), key, before<Waiting>);
  if (place != waiting.end() && place->iteration == key.iteration && place->slot == key.slot)
    return Filing::duplicate;
  if (waiting.size() >= limit_) return Filing::overflow;
  waiting.insert(place, {key.iteration, key.slot, std::move(packet)});
  ++size_;
  return Filing::filed;
}

bool Inbox::has(const MessageKey& key) const {
  const auto sender = std::ranges::find(senders_, key.sender, &Sender::id);
  return sender != senders_.end() && std::ranges::any_of(sender->waiting, [&](const Waiting& message) {
           return message.iteration == key.iteration && message.slot == key.slot;
         });
}

PacketRef Inbox::take(const MessageKey& key) {
  const auto sender = find(key.sender);
  if (sender == senders_.end() || sender->id != key.sender) return {};
  std::vector<Waiting>& waiting = sender->waiting;
  auto wanted = waiting.begin();
  while (wanted != waiting.end() && wanted->iteration < key.iteration) ++wanted;
  size_ -= static_cast<std::size_t>(wanted - waiting.begin());
  waiting.erase(waiting.begin(), wanted);
  wanted = std::lower_bound(waiting.begin(), waiting.end(), key, before<Waiting>);
  if (wanted == waiting.end() || wanted->iteration != key.iteration || wanted->slot != key.slot) return {};
  PacketRef packet = std::move(wanted->packet);
  waiting.erase(wanted);
  --size_;
  return packet;
}

bool Inbox::has_beyond(PeerId sender, std::uint64_t iteration) const {
  const auto known = std::ranges::find(senders_, sender, &Sender::id);
  return known != senders_.end() && !known->waiting.empty() && known->waiting.back().iteration > iteration;
}

std::vector<Inbox::Message> Inbox::waiting_beyond(std::uint64_t iteration) const {
  std::vector<Message> messages;
  for (const Sender& sender : senders_)
    for (const Waiting& waiting : sender.waiting)
      if (waiting.iteration > iteration)
        messages.push_back({{waiting.iteration, waiting.slot, sender.id}, waiting.packet});
  return messages;
}

}  // namespace hearsay

#include "runtime/peer/worker_role.hpp"

#include <utility>

namespace hearsay {

bool WorkerRole::has_lost(PeerId other) const {
  if (!edges_->knows(other)) return !seat_->has_standby();
  return has_moved() || edges_->is_lost(other);
}

NeighborLoss WorkerRole::lose(PeerId neighbor) {
  if (!seat_) return {neighbor};
  if (neighbor == hub_) {
    if (!survives_hub()) return {neighbor};
    return {std::nullopt, seat_->vacate()};  // the edge stays in: the standby serves it
  }
  seat_->lose_standby();
  return {has_moved() ? std::optional(hub_) : std::nullopt};
}

void WorkerRole::post(Outgoing message, std::vector<Outgoing>& outbox) const {
  if (seat_ && seat_->has_standby()) {
    MessageKey key = message.key;
    if (!has_moved()) key.slot |= copy_of_answer;
    outbox.push_back({seat_->standby(), key, message.packet, message.metadata});
  }
  if (!has_moved()) outbox.push_back(std::move(message));
}

Hearing WorkerRole::hear(MessageKey& key, const PacketRef& packet, const MessageMetadata& metadata,
                         std::uint64_t completed) {
  if (!seat_) return Hearing::of_the_method;
  const bool is_of_first_hub = key.sender == hub_;
  if (is_of_first_hub == has_moved()) {
    if (is_of_first_hub || key.iteration <= completed) return Hearing::late;
    seat_->hold({key, packet, metadata});
    return Hearing::kept;
  }
  if (!is_of_first_hub) seat_->follow_standby();
  key.sender = hub_;
  return seat_->agrees(key, packet) ? Hearing::of_the_method : Hearing::contradiction;
}

}  // namespace hearsay

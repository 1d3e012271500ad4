#include "runtime/peer/hub_succession.hpp"

#include <cstring>
#include <span>
#include <utility>

namespace hearsay {

template <class Scalar>
bool HubSuccession<Scalar>::survives_hub() const {
  if (!seat_ || has_moved()) return false;
  return second_hub() ? !second_hub()->is_dismissed() : seat_->has_standby();
}

template <class Scalar>
bool HubSuccession<Scalar>::awaits_standby() const {
  return seat_ && !second_hub() && seat_->phase() == HubSeat::Phase::vacant && seat_->has_standby();
}

template <class Scalar>
bool HubSuccession<Scalar>::hears_claim(std::uint64_t completed) const {
  return seat_ && !has_moved() && seat_->holds_claim_beyond(completed);
}

template <class Scalar>
bool HubSuccession<Scalar>::deals_with(PeerId other, const Neighborhood& neighborhood) const {
  if (neighborhood.knows(other)) return true;
  return seat_ && other != input_.id && (second_hub() || other == seat_->standby());
}

template <class Scalar>
bool HubSuccession<Scalar>::has_lost(PeerId other, const Neighborhood& neighborhood) const {
  if (!neighborhood.knows(other)) return second_hub() ? second_hub()->has_lost(other) : !seat_->has_standby();
  return has_moved() || neighborhood.is_lost(other);
}

template <class Scalar>
std::optional<PeerId> HubSuccession<Scalar>::lose(PeerId neighbor, std::vector<HubSeat::Claim>& claims) {
  if (!seat_) return neighbor;
  if (neighbor == *input_.hub) {
    if (!survives_hub()) return neighbor;
    claims = seat_->vacate();  // the edge stays in: the standby serves it
    if (second_hub()) second_hub()->take_over();
    return std::nullopt;
  }
  if (second_hub()) {
    second_hub()->lose(neighbor);
    return std::nullopt;
  }
  seat_->lose_standby();
  return has_moved() ? input_.hub : std::nullopt;
}

/// The key of an answer to the standby.
template <class Scalar>
MessageKey HubSuccession<Scalar>::copied_key(MessageKey key) const {
  if (!has_moved()) key.slot |= copy_of_answer;
  return key;
}

template <class Scalar>
void HubSuccession<Scalar>::post(const Outgoing& message, std::vector<Outgoing>& outbox) const {
  if (second_hub())
    second_hub()->hear(message.key, message.packet, message.metadata);
  else if (seat_ && seat_->has_standby())
    outbox.push_back({seat_->standby(), copied_key(message.key), message.packet, message.metadata});
  if (!has_moved()) outbox.push_back(message);
}

template <class Scalar>
void HubSuccession<Scalar>::tell_roster(std::uint64_t iteration, const MixingRow& row,
                                        const Neighborhood& neighborhood,
                                        std::vector<Outgoing>& outbox) const {
  if (neighborhood.is_lost(*input_.standby)) return;
  PacketBuffer roster = input_.packets->acquire();
  std::span<std::byte> place = roster.resize(row.hears.size() * sizeof(std::uint32_t));
  for (const WeightedNeighbor& worker : row.hears) {
    const std::uint32_t id = worker.id;
    std::memcpy(place.data(), &id, sizeof id);
    place = place.subspan(sizeof id);
  }
  outbox.push_back({*input_.standby, {iteration, roster_slot, input_.id}, std::move(roster).seal()});
}

template <class Scalar>
Hearing HubSuccession<Scalar>::hear(MessageKey& key, const PacketRef& packet, const MessageMetadata& metadata,
                                    std::uint64_t completed) {
  if (!seat_) return Hearing::of_the_hub;
  const bool is_of_first_hub = key.sender == *input_.hub;
  if (second_hub()) {
    const bool is_of_use = second_hub()->hear(key, packet, metadata);
    if (is_of_first_hub && key.slot != roster_slot && !has_moved()) return Hearing::of_the_hub;
    return is_of_use ? Hearing::kept : Hearing::late;
  }
  if (is_of_first_hub == has_moved()) {
    if (is_of_first_hub || key.iteration <= completed) return Hearing::late;
    seat_->hold({key, packet, metadata});
    return Hearing::kept;
  }
  if (!is_of_first_hub) seat_->follow_standby();
  key.sender = *input_.hub;
  return seat_->agrees(key, packet) ? Hearing::of_the_hub : Hearing::contradiction;
}

template <class Scalar>
void HubSuccession<Scalar>::attend(std::uint64_t completed, Inbox& inbox,
                                   std::vector<Outgoing>& outbox) const {
  if (!second_hub()) return;
  second_hub()->advance();
  for (Outgoing& said : second_hub()->outbox())
    if (said.to != input_.id)
      outbox.push_back(std::move(said));
    else if (said.key.iteration > completed)
      inbox.file({said.key.iteration, said.key.slot, *input_.hub}, said.packet);
  second_hub()->outbox().clear();
}

template class HubSuccession<float>;
template class HubSuccession<double>;

}  // namespace hearsay

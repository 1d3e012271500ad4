#include "runtime/peer/standby_hub.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/peer/hub_seat.hpp"
#include "runtime/peer/peer.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

template <class Scalar>
StandbyHub<Scalar>::StandbyHub(std::unique_ptr<Peer<Scalar>> hub, PeerId self)
    : hub_(std::move(hub)), self_(self) {
  ensure(hub_->id() == hub_id, "who stands by keeps a hub ready");
}

template <class Scalar>
StandbyHub<Scalar>::~StandbyHub() = default;

template <class Scalar>
void StandbyHub<Scalar>::start() {
  hub_->start();
  settle();
}

template <class Scalar>
bool StandbyHub<Scalar>::hear(const MessageKey& key, const PacketRef& packet,
                              const MessageMetadata& metadata) {
  if (is_dismissed()) return false;
  const std::uint64_t round = hub_->begun();
  if (key.iteration < round || key.iteration > round + most_rounds_ahead) return false;
  if (key.sender != hub_id) return hear_copy(key, packet, metadata);
  if (phase_ == Phase::serves) return false;
  if (key.slot == roster_slot) return hear_roster(key.iteration, packet);
  hub_said_.emplace_back(key, packet);
  for (const Outgoing& said : said_) compare(said);
  return true;
}

/// Takes an answer, or a copy of one to the hub. Where this one has taken over in round t, the hub can have
/// reached t + 1 with the answers that it had, but t + 2 only if it has left this worker out.
template <class Scalar>
bool StandbyHub<Scalar>::hear_copy(const MessageKey& key, const PacketRef& packet,
                                   const MessageMetadata& metadata) {
  const bool is_copy = (key.slot & copy_of_answer) != 0;
  if (is_copy && took_over_in_ && key.iteration >= *took_over_in_ + 2) {
    dismiss("the hub is there, and has gone on without it");
    return false;
  }
  const Place place{key.iteration, key.slot & ~copy_of_answer, key.sender};
  return copies_.try_emplace(place, Copy{packet, metadata}).second;
}

template <class Scalar>
bool StandbyHub<Scalar>::hear_roster(std::uint64_t iteration, const PacketRef& packet) {
  const std::span<const std::byte> bytes = packet->bytes();
  std::vector<std::uint32_t> ids(bytes.size() / sizeof(std::uint32_t));
  if (!ids.empty()) std::memcpy(ids.data(), bytes.data(), ids.size() * sizeof(std::uint32_t));
  return rosters_.try_emplace(iteration, ids.begin(), ids.end()).second;
}

template <class Scalar>
void StandbyHub<Scalar>::lose(PeerId worker) {
  if (is_dismissed() || has_lost(worker)) return;
  lost_.push_back(worker);
  if (phase_ == Phase::serves) hub_->lose(worker);
}

template <class Scalar>
bool StandbyHub<Scalar>::has_lost(PeerId worker) const {
  return std::ranges::find(lost_, worker) != lost_.end();
}

template <class Scalar>
void StandbyHub<Scalar>::take_over() {
  ensure(phase_ == Phase::follows, "a standby takes over once");
  phase_ = Phase::serves;
  took_over_in_ = hub_->begun();
  rosters_.clear();
  outbox_ = std::exchange(said_, {});
  take_answers_of(nullptr);
  for (const PeerId worker : lost_)
    if (!hub_->neighborhood()->is_lost(worker)) hub_->lose(worker);
}

template <class Scalar>
void StandbyHub<Scalar>::verdict(std::uint64_t evaluated, bool proceed) {
  if (!is_dismissed() && !hub_->has_ended()) hub_->verdict(evaluated, proceed);
}

template <class Scalar>
void StandbyHub<Scalar>::observe(bool observed) {
  if (is_dismissed()) return;
  if (observed)
    hub_->attach_to_observer();
  else
    hub_->detach_from_observer();
}

template <class Scalar>
void StandbyHub<Scalar>::advance() {
  do settle();
  while (!is_dismissed() && hub_->state() == PeerState::needs_messages && take_answers_of_the_round());
}

template <class Scalar>
void StandbyHub<Scalar>::settle() {
  if (is_dismissed()) return;
  while (hub_->state() == PeerState::evaluation_due) hub_->evaluation_taken();
  ensure(hub_->state() != PeerState::needs_gradient && hub_->state() != PeerState::checkpoint_due,
         "a hub without data that drops peers asks for neither");
  take_what_it_says();
}

template <class Scalar>
void StandbyHub<Scalar>::take_what_it_says() {
  for (Outgoing& said : hub_->outbox()) {
    said.key.sender = self_;
    compare(said);
    (phase_ == Phase::serves ? outbox_ : said_).push_back(std::move(said));
  }
  hub_->outbox().clear();
  std::erase_if(said_, [&](const Outgoing& said) { return said.key.iteration < hub_->begun(); });
  std::erase_if(hub_said_, [&](const auto& heard) { return heard.first.iteration < hub_->begun(); });
}

/// Compares what it says to this worker with what the hub has said in its place.
template <class Scalar>
void StandbyHub<Scalar>::compare(const Outgoing& said) {
  if (said.to != self_ || is_dismissed()) return;
  const auto heard = std::ranges::find_if(hub_said_, [&](const auto& candidate) {
    return candidate.first.iteration == said.key.iteration && candidate.first.slot == said.key.slot;
  });
  if (heard == hub_said_.end() || HubSeat::same_bytes(said.packet->bytes(), heard->second->bytes())) return;
  if (phase_ == Phase::serves)
    contradiction_ = HubSeat::contradiction_in(said.key.iteration);
  else
    dismiss("what it computes for iteration " + std::to_string(said.key.iteration) +
            " is not what the hub says, bit for bit");
}

/// Takes in the answers of the round that the hub is in. True if it is in another one then.
template <class Scalar>
bool StandbyHub<Scalar>::take_answers_of_the_round() {
  const std::uint64_t round = hub_->begun();
  if (phase_ == Phase::serves) {
    take_answers_of(nullptr);
    return hub_->begun() != round || hub_->state() != PeerState::needs_messages;
  }
  const auto roster = rosters_.find(round);
  if (roster == rosters_.end()) return false;
  const std::vector<PeerId> counted = roster->second;
  take_answers_of(&counted);
  const bool is_over = hub_->begun() != round || hub_->state() != PeerState::needs_messages;
  if (is_over) {
    rosters_.erase(rosters_.begin(), rosters_.upper_bound(round));
    copies_.erase(copies_.begin(), copies_.lower_bound({round + 1, 0, 0}));
    return true;
  }
  for (const PeerId worker : hub_->waiting_for())
    if (has_lost(worker)) {
      dismiss("the hub has counted an answer of peer " + std::to_string(worker) + " in iteration " +
              std::to_string(round) + " that never came here");
      break;
    }
  return false;
}

/// Hands the hub the copies that are there of its round: those of the workers that are `counted`, or of all
/// if null. Who is not counted has left.
template <class Scalar>
void StandbyHub<Scalar>::take_answers_of(const std::vector<PeerId>* counted) {
  const std::uint64_t round = hub_->begun();
  std::vector<PeerId> left;
  if (counted)
    for (const WeightedNeighbor& worker : hub_->row().hears)
      if (!std::ranges::binary_search(*counted, worker.id)) left.push_back(worker.id);
  for (const PeerId worker : left)
    if (!hub_->neighborhood()->is_lost(worker)) hub_->lose(worker);
  std::vector<std::pair<MessageKey, Copy>> taken;
  for (auto copy = copies_.begin(); copy != copies_.end();) {
    const auto& [iteration, slot, sender] = copy->first;
    if (counted && (iteration != round || std::ranges::binary_search(left, sender))) {
      ++copy;
      continue;
    }
    taken.emplace_back(MessageKey{iteration, slot, sender}, std::move(copy->second));
    copy = copies_.erase(copy);
  }
  for (const auto& [key, copy] : taken) hub_->deliver(key, copy.packet, copy.metadata);
}

template <class Scalar>
std::uint64_t StandbyHub<Scalar>::round() const {
  return hub_->begun();
}

template <class Scalar>
bool StandbyHub<Scalar>::has_completed(std::uint64_t iteration) const {
  return is_dismissed() || hub_->iteration() >= iteration || hub_->state() == PeerState::diverged;
}

template <class Scalar>
std::vector<PeerId> StandbyHub<Scalar>::waiting_for() const {
  if (is_dismissed()) return {};
  if (phase_ == Phase::follows && !rosters_.contains(hub_->begun())) return {hub_id};
  std::vector<PeerId> missing = hub_->waiting_for();
  std::erase(missing, self_);
  return missing;
}

template <class Scalar>
const Vector<Scalar>& StandbyHub<Scalar>::model() const {
  return hub_->model();
}

template <class Scalar>
std::optional<Divergence> StandbyHub<Scalar>::divergence() const {
  if (contradiction_) return contradiction_;
  return is_dismissed() ? std::nullopt : hub_->divergence();
}

template <class Scalar>
void StandbyHub<Scalar>::dismiss(std::string why) {
  phase_ = Phase::dismissed;
  dismissed_because_ = std::move(why);
  copies_.clear();
  rosters_.clear();
  said_.clear();
  hub_said_.clear();
}

template class StandbyHub<float>;
template class StandbyHub<double>;

}  // namespace hearsay

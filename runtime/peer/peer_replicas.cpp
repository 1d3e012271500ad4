#include <algorithm>

#include "runtime/peer/peer.hpp"
#include "runtime/peer/replica_copy.hpp"
#include "topology/foundation/ensure.hpp"

// What a peer knows of the replicas that others keep of it, and of those that it keeps.

namespace hearsay {

template <class Scalar>
void Peer<Scalar>::begin_replica_safety() {
  if (answering_ || published_bytes(*input_.algorithm) == 0) return;
  if (input_.schedule->period() == 1) {
    std::vector<PeerId> owners;
    for (const WeightedNeighbor& neighbor : input_.schedule->row(input_.id, 0).hears)
      owners.push_back(neighbor.id);
    replica_watch_.emplace(std::move(owners));
  }
  if (input_.hearers.empty()) return;
  const std::uint64_t at_first = *digest_published(*input_.algorithm);
  for (const PeerId hearer : input_.hearers) told_.emplace_back(hearer, at_first);
}

/// A replica that is told of is, from then on and until it is told again, what is published now: so it can be checked
/// whenever the run ends.
template <class Scalar>
void Peer<Scalar>::note_told(Slot slot, PeerId to) {
  const MessageKey now{iteration_.number(), slot, input_.id};
  if (digest_taken_at_ != now) {
    digest_taken_at_ = now;
    published_digest_ = *digest_published(*input_.algorithm);
  }
  const auto hearer = std::ranges::lower_bound(told_, to, {}, &std::pair<PeerId, std::uint64_t>::first);
  ensure(hearer != told_.end() && hearer->first == to, "who is spoken to hears this peer in some round");
  hearer->second = published_digest_;
}

template <class Scalar>
StateDigests Peer<Scalar>::digests() {
  StateDigests digests = digest_state(*input_.algorithm);
  digests.told = told_;
  // Nobody tells it of those any more, or not yet again.
  if (neighborhood_)
    std::erase_if(digests.replicas,
                  [&](const auto& replica) { return neighborhood_->lacks(replica.first, completed_); });
  return digests;
}

/// Before an iteration's own work: what it says here leaves before the method's messages.
template <class Scalar>
void Peer<Scalar>::guard_replicas() {
  const MixingRow& row = iteration_.mixing();
  rounds_at_begin_ = counters_.gossip_rounds;
  answer_questions(row);
  for (const WeightedNeighbor& neighbor : row.hears)
    if (const PacketRef copy = inbox_.take({iteration_.number(), copy_slot, neighbor.id}))
      resync(neighbor.id, copy);
  take_digests(row);
  for (const PeerId owner : replica_watch_->take_differing())
    if (std::ranges::binary_search(row.heard_by, owner))
      outbox_.push_back({owner, {iteration_.number(), question_slot, input_.id}, new_packet().seal()});
}

/// The questions of the iteration before: all who hear this peer had come to it, or this peer could not have ended it.
template <class Scalar>
void Peer<Scalar>::answer_questions(const MixingRow& row) {
  PacketRef copy;
  for (const PeerId hearer : row.heard_by) {
    if (!inbox_.take({iteration_.number() - 1, question_slot, hearer})) continue;
    if (!copy) {
      PacketBuffer buffer = new_packet();
      copy_published(*input_.algorithm, buffer);
      copy = std::move(buffer).seal();
    }
    outbox_.push_back({hearer, {iteration_.number(), copy_slot, input_.id}, copy});
  }
}

/// A replica whose owner's edge is out is not what its owner publishes, and need not be.
template <class Scalar>
void Peer<Scalar>::take_digests(const MixingRow& row) {
  replica_digest_ = 0;
  if (!digest_is_due(iteration_.number())) return;
  const StateDigests digests = digest_state(*input_.algorithm);
  replica_digest_ = header_digest(*digests.published);
  for (const auto& [owner, digest] : digests.replicas)
    if (std::ranges::find(row.hears, owner, &WeightedNeighbor::id) != row.hears.end())
      count(replica_watch_->holds(owner, iteration_.number(), header_digest(digest)));
}

/// Nobody runs further ahead than one iteration.
template <class Scalar>
void Peer<Scalar>::hear_digest(const MessageKey& key, std::uint32_t replica_digest) {
  if (digest_is_due(key.iteration) && key.iteration <= completed_ + 2)
    count(replica_watch_->said(key.sender, key.iteration, replica_digest));
}

template <class Scalar>
void Peer<Scalar>::count(ReplicaWatch::Finding finding) {
  if (finding == ReplicaWatch::Finding::nothing) return;
  ++counters_.digests_compared;
  if (finding == ReplicaWatch::Finding::different) ++counters_.digests_differed;
}

/// A copy of what its sender had published before that iteration.
template <class Scalar>
void Peer<Scalar>::hear_copy(const MessageKey& key, const PacketRef& copy) {
  const bool begun = iteration_.number() == completed_ + 1 && !attaching_;
  if (!begun || key.iteration != iteration_.number()) return file(key, copy);
  // Once the iteration's first messages are taken in, the replica is to be what its owner publishes after it.
  if (counters_.gossip_rounds != rounds_at_begin_)
    ++counters_.late;
  else if (replica_watch_->was_overwritten(key.sender, key.iteration))
    ++counters_.duplicate;
  else
    resync(key.sender, copy);
}

template <class Scalar>
void Peer<Scalar>::resync(PeerId owner, const PacketRef& copy) {
  if (!overwrite_replica(*input_.algorithm, owner, copy->bytes())) {
    ++counters_.unfit_copies;
    return;
  }
  replica_watch_->overwritten(owner, iteration_.number());
  ++counters_.resyncs;
}

#define HEARSAY_PEER_REPLICAS(Scalar)                                        \
  template void Peer<Scalar>::begin_replica_safety();                        \
  template void Peer<Scalar>::note_told(Slot, PeerId);                       \
  template StateDigests Peer<Scalar>::digests();                             \
  template void Peer<Scalar>::guard_replicas();                              \
  template void Peer<Scalar>::hear_digest(const MessageKey&, std::uint32_t); \
  template void Peer<Scalar>::hear_copy(const MessageKey&, const PacketRef&);
HEARSAY_PEER_REPLICAS(float)
HEARSAY_PEER_REPLICAS(double)
#undef HEARSAY_PEER_REPLICAS

}  // namespace hearsay

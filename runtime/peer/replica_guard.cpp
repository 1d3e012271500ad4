#include "runtime/peer/replica_guard.hpp"

#include <algorithm>

#include "runtime/peer/replica_copy.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

template <class Scalar>
ReplicaGuard<Scalar>::ReplicaGuard(const PeerInput<Scalar>& input, PeerCounters& counters)
    : input_(input), counters_(counters) {
  if (input_.algorithm->answering()) return;
  const StateDigests at_first = digest_state(*input_.algorithm);
  if (!at_first.published && at_first.replicas.empty()) return;
  if (input_.schedule->period() == 1) {
    std::vector<PeerId> owners;
    for (const WeightedNeighbor& neighbor : input_.schedule->row(input_.id, 0).hears)
      owners.push_back(neighbor.id);
    watch_.emplace(std::move(owners));
  }
  if (!at_first.published) return;
  for (const PeerId hearer : input_.hearers) last_sent_digests_.emplace_back(hearer, *at_first.published);
}

template <class Scalar>
void ReplicaGuard<Scalar>::note_sent(std::uint64_t iteration, Slot slot, PeerId to) {
  if (last_sent_digests_.empty()) return;
  const MessageKey now{iteration, slot, input_.id};
  // The head of a group answers the hub in the slot in which it told its group, but later.
  const bool is_answer = input_.hub == to;
  if (digest_taken_at_ != now || digest_is_of_answer_ != is_answer) {
    digest_taken_at_ = now;
    digest_is_of_answer_ = is_answer;
    published_digest_ = *digest_published(*input_.algorithm);
  }
  const auto hearer =
      std::ranges::lower_bound(last_sent_digests_, to, {}, &std::pair<PeerId, std::uint64_t>::first);
  ensure(hearer != last_sent_digests_.end() && hearer->first == to,
         "who is spoken to hears this peer in some round");
  hearer->second = published_digest_;
}

template <class Scalar>
void ReplicaGuard<Scalar>::begin_iteration(const Iteration<Scalar>& iteration, Inbox& inbox,
                                           std::vector<Outgoing>& outbox) {
  if (!watch_) return;
  const MixingRow& row = iteration.mixing();
  rounds_at_begin_ = counters_.gossip_rounds;
  answer_questions(iteration, inbox, outbox);
  for (const WeightedNeighbor& neighbor : row.hears) {
    const MessageKey key{iteration.number(), copy_slot, neighbor.id};
    if (const PacketRef copy = inbox.take(key)) resync(key, copy);
  }
  take_digests(iteration);
  for (const PeerId owner : watch_->take_differing())
    if (std::ranges::binary_search(row.heard_by, owner))
      outbox.push_back(
          {owner, {iteration.number(), question_slot, input_.id}, input_.packets->acquire().seal()});
}

/// Answers the questions of the previous iteration. All hearers had begun that iteration, and asked if at
/// all: this peer could not have completed it without their messages.
template <class Scalar>
void ReplicaGuard<Scalar>::answer_questions(const Iteration<Scalar>& iteration, Inbox& inbox,
                                            std::vector<Outgoing>& outbox) {
  PacketRef copy;
  for (const PeerId hearer : iteration.mixing().heard_by) {
    if (!inbox.take({iteration.number() - 1, question_slot, hearer})) continue;
    if (!copy) {
      PacketBuffer buffer = input_.packets->acquire();
      copy_published(*input_.algorithm, buffer);
      copy = std::move(buffer).seal();
    }
    outbox.push_back({hearer, {iteration.number(), copy_slot, input_.id}, copy});
  }
}

/// Leaves out replicas whose owners' edges are out: they need not equal what the owners publish.
template <class Scalar>
void ReplicaGuard<Scalar>::take_digests(const Iteration<Scalar>& iteration) {
  digest_to_send_ = 0;
  if (!digest_is_due(iteration.number())) return;
  const StateDigests digests = digest_state(*input_.algorithm);
  if (digests.published) digest_to_send_ = header_digest(*digests.published);
  const std::vector<WeightedNeighbor>& heard = iteration.mixing().hears;
  for (const auto& [owner, digest] : digests.replicas)
    if (std::ranges::find(heard, owner, &WeightedNeighbor::id) != heard.end())
      count(watch_->holds(owner, iteration.number(), header_digest(digest)));
}

/// A digest of a later iteration is ignored: no neighbor runs more than one iteration ahead.
template <class Scalar>
void ReplicaGuard<Scalar>::hear_digest(const MessageKey& key, std::uint32_t digest, std::uint64_t completed) {
  if (digest_is_due(key.iteration) && key.iteration <= completed + 2)
    count(watch_->said(key.sender, key.iteration, digest));
}

template <class Scalar>
void ReplicaGuard<Scalar>::count(ReplicaWatch::Finding finding) {
  if (finding == ReplicaWatch::Finding::nothing) return;
  ++counters_.digests_compared;
  if (finding == ReplicaWatch::Finding::different) ++counters_.digests_differed;
}

/// A copy is late once the iteration's first messages were taken in: from then on the replica must equal what
/// its owner publishes after them.
template <class Scalar>
void ReplicaGuard<Scalar>::hear_copy(const MessageKey& key, const PacketRef& copy) {
  if (counters_.gossip_rounds != rounds_at_begin_)
    ++counters_.late;
  else if (watch_->was_overwritten(key.sender, key.iteration))
    ++counters_.duplicate;
  else
    resync(key, copy);
}

template <class Scalar>
void ReplicaGuard<Scalar>::resync(const MessageKey& key, const PacketRef& copy) {
  if (!overwrite_replica(*input_.algorithm, key.sender, copy->bytes())) {
    ++counters_.unfit_copies;
    return;
  }
  watch_->overwritten(key.sender, key.iteration);
  ++counters_.resyncs;
}

template class ReplicaGuard<float>;
template class ReplicaGuard<double>;

}  // namespace hearsay

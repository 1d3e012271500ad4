#include <algorithm>

#include "runtime/peer/peer.hpp"
#include "runtime/peer/replica_copy.hpp"
#include "topology/foundation/ensure.hpp"

// A peer whose neighbors go and come back.

namespace hearsay {

/// Those that are there.
template <class Scalar>
void Peer<Scalar>::meet_neighbors() {
  ensure(input_.staleness == 0,
         "the two ends of a broken edge take it out at the same iteration, or the next");
  const auto present = [&](PeerId id) { return !std::ranges::binary_search(input_.absent, id); };
  const auto degree = [&](PeerId id, const auto& counts) {
    return static_cast<std::uint32_t>(
        std::ranges::count_if(input_.schedule->row(id, 0).hears,
                              [&](const WeightedNeighbor& neighbor) { return counts(neighbor.id); }));
  };
  const MixingRow& row = input_.schedule->row(input_.id, 0);
  std::vector<std::uint32_t> degrees;
  for (const WeightedNeighbor& neighbor : row.hears)
    degrees.push_back(degree(neighbor.id, [](PeerId) { return true; }));
  neighborhood_.emplace(row, std::move(degrees), *input_.weights_follow);
  for (const WeightedNeighbor& neighbor : row.hears)
    if (input_.joins_at || !present(neighbor.id))
      neighborhood_->leave_out(neighbor.id);
    else
      neighborhood_->hear_degree(neighbor.id, 1, degree(neighbor.id, present));
}

template <class Scalar>
void Peer<Scalar>::ask_for_model(PeerId joiner) {
  if (std::ranges::find(joiners_, joiner) == joiners_.end()) joiners_.push_back(joiner);
  if (iteration_.number() <= completed_) answer_joiners();
}

template <class Scalar>
void Peer<Scalar>::answer_joiners() {
  const bool ends = has_ended() || stop_after_ || completed_ >= input_.iterations;
  for (const PeerId joiner : joiners_)
    copies_.push_back(
        {joiner, {completed_, last_verdict_}, ends ? PacketRef() : copy_of(model(), new_packet())});
  joiners_.clear();
}

template <class Scalar>
void Peer<Scalar>::go_on_unobserved() {
  unobserved_ = true;
  if (state_ == PeerState::needs_verdict) go_on_or_wait();
}

template <class Scalar>
void Peer<Scalar>::lose(PeerId neighbor) {
  if (neighborhood_->is_lost(neighbor)) return;
  neighborhood_->lose(neighbor);
  if (state_ != PeerState::needs_messages) return;
  depart_lost();
  if (missing_ > 0) return;
  ++counters_.gossip_rounds;
  resume();
}

/// Of lost neighbors nothing is wanted any more: where a message of one lacks, its edge is out from this iteration on, and its
/// weight stays with this peer.
template <class Scalar>
void Peer<Scalar>::depart_lost() {
  bool departed = false;
  for (std::size_t k = wanted_senders_.size(); k-- > 0;) {
    if (packets_[k] || !neighborhood_->lacks(wanted_senders_[k], iteration_.number())) continue;
    neighborhood_->depart(wanted_senders_[k], iteration_.number());
    const auto place = static_cast<std::ptrdiff_t>(k);
    wanted_senders_.erase(wanted_senders_.begin() + place);
    packets_.erase(packets_.begin() + place);
    --missing_;
    departed = true;
  }
  if (departed && !attaching_) mix_with_neighborhood();
}

/// The row is one object that changes: what a method holds of it while it waits stays valid.
template <class Scalar>
void Peer<Scalar>::mix_with_neighborhood() {
  changed_row_ = neighborhood_->undisturbed() ? input_.schedule->row(input_.id, 0) : neighborhood_->row();
  iteration_.mix_by(changed_row_);
  iteration_.turn_to(iteration_.number() - 1);
}

template <class Scalar>
std::optional<std::uint64_t> Peer<Scalar>::offer(PeerId neighbor) {
  ensure(neighborhood_->is_lost(neighbor), "an edge is offered to a neighbor that was lost");
  if (has_ended()) return std::nullopt;
  const auto known = std::ranges::find(offers_, neighbor, &std::pair<PeerId, std::uint64_t>::first);
  if (known != offers_.end()) return known->second;
  const std::uint64_t from = earliest_attachment();
  if (from > input_.iterations || !input_.edges_return) return std::nullopt;
  offers_.emplace_back(neighbor, from);
  return from;
}

template <class Scalar>
bool Peer<Scalar>::attach(PeerId neighbor, std::uint64_t iteration) {
  const bool possible = !has_ended() && input_.edges_return && neighborhood_->is_lost(neighbor) &&
                        iteration >= earliest_attachment() && iteration <= input_.iterations;
  // What it said before it was lost is taken in no more.
  if (possible) neighborhood_->attach(neighbor, iteration);
  withdraw(neighbor);
  return possible;
}

template <class Scalar>
void Peer<Scalar>::withdraw(PeerId neighbor) {
  std::erase_if(offers_, [&](const auto& offer) { return offer.first == neighbor; });
  if (state_ == PeerState::needs_agreement && completed_ + 1 < holds_before()) begin_iteration();
}

template <class Scalar>
std::vector<PeerId> Peer<Scalar>::offered() const {
  std::vector<PeerId> neighbors;
  for (const auto& [neighbor, from] : offers_) neighbors.push_back(neighbor);
  return neighbors;
}

/// The iteration that is not begun until all offers are agreed on: in it the degrees are announced that count when the edges are in.
template <class Scalar>
std::uint64_t Peer<Scalar>::holds_before() const {
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  for (const auto& [neighbor, from] : offers_) first = std::min(first, from - 1);
  return first;
}

/// Whether nothing has to be waited for.
template <class Scalar>
bool Peer<Scalar>::exchange_attachments() {
  neighborhood_->begin(iteration_.number());
  const std::vector<PeerId> attached = neighborhood_->attached_at(iteration_.number());
  if (attached.empty()) return true;
  PacketBuffer copy = new_packet();
  copy_published(*input_.algorithm, copy);
  const PacketRef packet = std::move(copy).seal();
  for (const PeerId neighbor : attached)
    outbox_.push_back(
        {neighbor, {iteration_.number(), attach_slot, input_.id}, packet, {neighborhood_->degree()}});
  attaching_ = true;
  if (!request_packets(iteration_.number(), attach_slot, attached)) return false;
  read_attachments();
  return true;
}

template <class Scalar>
void Peer<Scalar>::take_attachments() {
  read_attachments();
  if (!begin_method() && complete_iteration()) begin_iteration();
}

/// One that was lost before it came: that edge has departed.
template <class Scalar>
void Peer<Scalar>::read_attachments() {
  attaching_ = false;
  const bool keeps_replicas = published_bytes(*input_.algorithm) != 0;
  for (std::size_t k = 0; k < wanted_senders_.size(); ++k)
    if (keeps_replicas && packets_[k] &&
        !overwrite_replica(*input_.algorithm, wanted_senders_[k], packets_[k]->bytes()))
      report(CodecStatus::malformed);
}

#define HEARSAY_PEER_MEMBERSHIP(Scalar)                              \
  template void Peer<Scalar>::meet_neighbors();                      \
  template void Peer<Scalar>::ask_for_model(PeerId);                 \
  template void Peer<Scalar>::answer_joiners();                      \
  template void Peer<Scalar>::go_on_unobserved();                    \
  template void Peer<Scalar>::lose(PeerId);                          \
  template void Peer<Scalar>::depart_lost();                         \
  template void Peer<Scalar>::mix_with_neighborhood();               \
  template std::optional<std::uint64_t> Peer<Scalar>::offer(PeerId); \
  template bool Peer<Scalar>::attach(PeerId, std::uint64_t);         \
  template void Peer<Scalar>::withdraw(PeerId);                      \
  template std::vector<PeerId> Peer<Scalar>::offered() const;        \
  template std::uint64_t Peer<Scalar>::holds_before() const;         \
  template bool Peer<Scalar>::exchange_attachments();                \
  template void Peer<Scalar>::take_attachments();
HEARSAY_PEER_MEMBERSHIP(float)
HEARSAY_PEER_MEMBERSHIP(double)
#undef HEARSAY_PEER_MEMBERSHIP

}  // namespace hearsay
